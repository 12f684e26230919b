import { Guilloche } from '@/components/ui/identicon'
import type { PersonCard } from '@/lib/accounts/people'

interface Props {
  readonly people: readonly PersonCard[]
  /** The user name that the app named; that person comes first. */
  readonly asksFor: string | null
  readonly password: string
  readonly csrf: string
  readonly callbackUrl: string
}

/** Each person is a form of their own that posts name and printed password, so picking works without JavaScript. */
export function PersonPicker({ people, asksFor, password, csrf, callbackUrl }: Props) {
  const ordered = people.toSorted((a, b) => Number(b.username === asksFor) - Number(a.username === asksFor))
  return (
    <div>
      <p className="label">
        Sandbox people, password for all of them: <code>{password}</code>
      </p>
      <ul className="mt-2">
        {ordered.map((person) => (
          <li key={person.username} className="line">
            <form method="post" action="/api/auth/callback/credentials" className="flex items-center gap-4 py-2.5">
              <input type="hidden" name="csrfToken" value={csrf} />
              <input type="hidden" name="callbackUrl" value={callbackUrl} />
              <input type="hidden" name="username" value={person.username} />
              <input type="hidden" name="password" value={password} />
              <Guilloche of={person.address} />
              <span className="min-w-0 flex-1">
                <span className="block font-serif text-lg leading-tight">{person.displayName}</span>
                <span className="label block">
                  {person.currencyCodes.join(' · ')}
                  {person.username === asksFor ? ' · the app asks for this person' : ''}
                </span>
              </span>
              <button className={`button ${person.username === asksFor ? 'button-main' : ''}`}>
                Continue as {person.displayName}
              </button>
            </form>
          </li>
        ))}
      </ul>
      <div className="double-rule" />
    </div>
  )
}
