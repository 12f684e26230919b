import type { ReactNode } from 'react'
import { gatewayAddress } from '@/app/_components/gateway-address'
import { Main } from '@/app/_components/main'
import { NewConnections } from '@/app/_components/new-connections'
import { PersonHeader } from '@/app/_components/person-header'
import { deps } from '@/lib/deps'
import { countOpenRequests } from '@/lib/uma/uma-invoices/requests'
import { ShownPerson } from './_components/person-form'
import { signedIn } from './_components/signed-in'

/** Every page below needs a session, and asks for it again where it alone is rendered anew. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const person = await signedIn()
  const [gateway, requests] = await Promise.all([
    gatewayAddress(deps().settings),
    countOpenRequests(deps(), person.username),
  ])
  return (
    <>
      <PersonHeader person={person} gateway={gateway} requests={requests} />
      <Main>
        <div className="page line">
          <NewConnections username={person.username} requests={requests} />
          <ShownPerson value={person.username}>{children}</ShownPerson>
        </div>
      </Main>
    </>
  )
}
