import { Identicon } from '@/components/ui/identicon'
import type { UserCard } from '@/lib/accounts/users'
import { NavLink } from './nav-link'

interface Props {
  readonly user: Pick<UserCard, 'displayName' | 'address'>
  /** Null when nothing listens there. */
  readonly gateway: string | null
  /** Open requests for money. Undefined without UMA invoices: users have no requests. */
  readonly requests: number | undefined
  /** Whether this server has the pages for developers. */
  readonly developers: boolean
}

/** The signed-in user, the navigation and the sign-out button, on the dashboard and on the home page. */
export function UserHeader({ user, gateway, requests, developers }: Props) {
  // On a phone these links are behind "More", so that the navigation fits on one line.
  const more = (
    <>
      <NavLink href="/invoices">Invoices</NavLink>
      <NavLink href="/connections">Connections</NavLink>
      {developers ? <NavLink href="/developers/wire">Developers</NavLink> : null}
      {gateway === null ? null : (
        <a className="tap" href={gateway}>
          Gateway
        </a>
      )}
      <form method="post" action="/logout">
        <button className="button button-quiet">Sign out</button>
      </form>
    </>
  )
  return (
    <header className="page flex flex-wrap items-center gap-x-6 gap-y-2 pt-4 pb-2 md:pb-4">
      <Identicon text={user.address} size={36} />
      <p className="min-w-0 leading-tight">
        <span className="flex items-baseline gap-x-3">
          <span className="font-serif text-lg">{user.displayName}</span>
          {developers ? <NavLink href="/settings">Settings</NavLink> : null}
        </span>
        <code className="text-muted">{user.address}</code>
      </p>
      <nav aria-label="Main" className="flex flex-wrap items-center gap-x-5 max-md:w-full md:ml-auto md:gap-x-4">
        <NavLink href="/wallets">Wallets</NavLink>
        <NavLink href="/wallets/send">Send</NavLink>
        <NavLink href="/wallets/receive">Receive</NavLink>
        {requests === undefined ? null : (
          <NavLink href="/requests">{requests === 0 ? 'Requests' : `Requests (${requests})`}</NavLink>
        )}
        <div className="contents max-md:hidden">{more}</div>
        <details className="open:w-full md:hidden">
          <summary className="tap">More</summary>
          <div className="flex flex-wrap items-center gap-x-5">{more}</div>
        </details>
      </nav>
    </header>
  )
}
