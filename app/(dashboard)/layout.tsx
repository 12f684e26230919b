import type { ReactNode } from 'react'
import { gatewayAddress } from '@/lib/ui/gateway-address'
import { Main } from '@/components/main'
import { NewConnections } from '@/components/news'
import { PersonHeader } from '@/components/user-header'
import { application } from '@/lib/backend/application'
import { countOpenRequests } from '@/lib/uma/uma-invoices/requests'
import { ShownPerson } from '@/components/user-form'
import { signedIn } from './require-user'

/** Every page below needs a session, and asks for it again where it alone is rendered anew. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const person = await signedIn()
  const [gateway, requests] = await Promise.all([
    gatewayAddress(application().settings),
    countOpenRequests(application().db, person.username),
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
