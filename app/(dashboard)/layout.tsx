import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { gatewayAddress } from '@/app/_components/gateway-address'
import { NewConnections } from '@/app/_components/new-connections'
import { PersonHeader } from '@/app/_components/person-header'
import { currentPerson } from '@/lib/auth/session'
import { deps } from '@/lib/deps'

/** Every page below needs a session; each page's own queries ask for it again. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const person = await currentPerson()
  if (person === null) redirect('/login')
  return (
    <>
      <PersonHeader person={person} gateway={await gatewayAddress(deps().settings)} />
      <div className="page line">
        <NewConnections username={person.username} />
        {children}
      </div>
    </>
  )
}
