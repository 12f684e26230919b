import { Identicon } from '@/components/ui/identicon'
import type { UserCard } from '@/lib/accounts/users'

interface Props {
  readonly users: readonly UserCard[]
  /** Whether the app asks for these users. */
  readonly requested?: boolean
  readonly password: string
  readonly csrf: string
  readonly callbackUrl: string
}

/** Each user is a separate form that posts the name and the printed password, so picking works without JavaScript. */
export function UserPicker({ users, requested = false, password, csrf, callbackUrl }: Props) {
  return (
    <div>
      <p className="label">
        {users.length === 1 ? 'Test user. Password:' : 'Test users. Password for all:'} <code>{password}</code>
      </p>
      <ul className="mt-2">
        {users.map((user) => (
          <li key={user.username} className="line">
            <form method="post" action="/api/auth/callback/credentials" className="flex items-center gap-4 py-2.5">
              <input type="hidden" name="csrfToken" value={csrf} />
              <input type="hidden" name="callbackUrl" value={callbackUrl} />
              <input type="hidden" name="username" value={user.username} />
              <input type="hidden" name="password" value={password} />
              <Identicon text={user.address} />
              <span className="min-w-0 flex-1">
                <span className="block font-serif text-lg leading-tight">{user.displayName}</span>
                <span className="label block">
                  {user.currencyCodes.join(' · ')}
                  {requested ? ' · requested by the app' : ''}
                </span>
              </span>
              <button className={`button ${requested ? 'button-main' : ''}`}>Continue as {user.displayName}</button>
            </form>
          </li>
        ))}
      </ul>
      <div className="double-rule" />
    </div>
  )
}
