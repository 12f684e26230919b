import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { Guilloche } from '@/app/_components/guilloche'
import { NewConnections } from '@/app/_components/new-connections'
import { currentPerson } from '@/lib/auth/session'
import { deps } from '@/lib/deps'
import { NavLink } from './_components/nav-link'

/** Every page below needs a session; each page's own queries ask for it again. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const person = await currentPerson()
  if (person === null) redirect('/login')
  return (
    <>
      <header className="page flex flex-wrap items-center gap-x-6 gap-y-2 py-4">
        <Guilloche of={person.address} size={36} />
        <p className="min-w-0 leading-tight">
          <span className="block font-serif text-lg">{person.displayName}</span>
          <code className="text-muted">{person.address}</code>
        </p>
        <nav aria-label="Main" className="flex flex-wrap items-center gap-x-5 min-[720px]:ml-auto">
          <NavLink href="/connections">Connections</NavLink>
          <a className="tap" href={deps().settings.gatewayRootUrl.href}>
            Gateway
          </a>
          <form method="post" action="/logout">
            <button className="button button-quiet">Sign out</button>
          </form>
        </nav>
      </header>
      <div className="page line">
        <NewConnections username={person.username} />
        {children}
      </div>
    </>
  )
}
