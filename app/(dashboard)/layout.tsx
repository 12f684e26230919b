import type { ReactNode } from 'react'
import { gatewayAddress } from '@/app/_components/gateway-address'
import { NewConnections } from '@/app/_components/new-connections'
import { PersonHeader } from '@/app/_components/person-header'
import { deps } from '@/lib/deps'
import { ShownPerson } from './_components/person-form'
import { signedIn } from './_components/signed-in'

/** Every page below needs a session, and asks for it again where it alone is rendered anew. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const person = await signedIn()
  return (
    <>
      <PersonHeader person={person} gateway={await gatewayAddress(deps().settings)} />
      <div className="page line">
        <NewConnections username={person.username} />
        <ShownPerson value={person.username}>{children}</ShownPerson>
      </div>
    </>
  )
}
