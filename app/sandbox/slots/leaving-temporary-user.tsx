import { Link } from '@/components/ui/link'
import type { CurrentUser } from '@/lib/accounts/sessions/current-user'

interface Props {
  readonly user: Pick<CurrentUser, 'displayName' | 'temporary'> | null
  /** Whether the settings page exists, which creates a password. */
  readonly sandboxTools: boolean
}

/** Shown where a sign-in or a sign-out ends the session of a temporary user, whose money no one can reach without the password. */
export function LeavingTemporaryUser({ user, sandboxTools }: Props) {
  if (user?.temporary !== true) return null
  return (
    <p className="mt-3 mb-6 max-w-2xl border-l-2 border-ochre pl-3">
      This browser is signed in as {user.displayName}, a temporary user. To sign in as {user.displayName} again, you
      need the password. Without it you lose this user and its test money.
      {sandboxTools ? (
        <>
          {' '}
          <Link href="/settings#password">Create a password</Link> first.
        </>
      ) : null}
    </p>
  )
}
