import Link from 'next/link'
import { redirect } from 'next/navigation'
import type { ReactNode } from 'react'
import { Guilloche } from '@/app/_components/guilloche'
import { currentPerson } from '@/lib/auth/session'
import { freshConnections } from '@/lib/connections/queries'
import { deps } from '@/lib/deps'
import { FreshNotice } from './_components/fresh-notice'

/** Every page below needs a session; each page's own queries ask for it again. */
export default async function DashboardLayout({ children }: { readonly children: ReactNode }) {
  const person = await currentPerson()
  if (person === null) redirect('/login')
  const current = deps()
  const fresh = await freshConnections(current, person.username)
  return (
    <>
      <header className="page flex flex-wrap items-center gap-x-6 gap-y-2 py-4">
        <Guilloche of={person.address} size={36} />
        <p className="min-w-0 leading-tight">
          <span className="block font-serif text-lg">{person.displayName}</span>
          <code className="text-muted">{person.address}</code>
        </p>
        <nav aria-label="Main" className="ml-auto flex flex-wrap items-center gap-x-5">
          <Link href="/connections">Connections</Link>
          <a href={current.settings.gatewayRootUrl.href}>Gateway</a>
          <form method="post" action="/logout">
            <button className="button button-quiet">Sign out</button>
          </form>
        </nav>
      </header>
      <div className="page line">
        <FreshNotice
          initial={fresh.map(({ id, name, createdAt }) => ({ id, name, createdAt: createdAt.toISOString() }))}
        />
        {children}
      </div>
    </>
  )
}
