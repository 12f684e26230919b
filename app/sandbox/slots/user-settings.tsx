import { headers } from 'next/headers'
import { Confirmation } from '@/app/(dashboard)/connections/confirmation'
import { ShownOnce } from '@/app/(dashboard)/developers/token/shown-once'
import { CopyField } from '@/components/ui/copy-field'
import { Link } from '@/components/ui/link'
import { Instant } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import type { CurrentUser } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { readExpiry } from '@/lib/sandbox/users/sandbox-users'
import { CONFIRMATION } from '@/lib/web/connection-links'
import { openShownOnce, SHOWN_ONCE_HEADER } from '@/lib/web/shown-once'

interface Props {
  readonly user: Pick<CurrentUser, 'username' | 'displayName' | 'temporary'>
  /** `reset` or `delete`: asks whether to do it. */
  readonly confirming: string | undefined
}

/** What the sandbox tools add to the settings: the password of a temporary user, reset and deletion. */
export async function UserSettings({ user, confirming }: Props) {
  const { db, settings } = application()
  if (!settings.sandboxTools) return null
  const expiresAt = user.temporary ? await readExpiry(db, user.username) : null
  const password = await openShownOnce(settings, user.username, '/settings', (await headers()).get(SHOWN_ONCE_HEADER))
  return (
    <>
      {expiresAt === null ? null : (
        <section className="mt-10 max-w-2xl" aria-labelledby="password">
          <h2 id="password">Password</h2>
          <ShownOnce>
            {password === undefined ? (
              <>
                <p className="mt-2 mb-3 text-muted">
                  You need a password to sign in again after you sign out, or in another browser. A new password
                  replaces the old one.
                </p>
                <UserForm action="/sandbox/forms/user/password">
                  <button className="button">Create a new password</button>
                </UserForm>
              </>
            ) : (
              <>
                <p className="mt-2 mb-3">Save the new password. It is shown only once.</p>
                <CopyField label="New password" text={password} />
              </>
            )}
          </ShownOnce>
        </section>
      )}

      <section className="mt-10 max-w-2xl" aria-labelledby="reset">
        <h2 id="reset">Reset</h2>
        <p className="mt-2 mb-3 text-muted">
          Returns every wallet to its opening balance with one correcting entry, revokes all connections, and expires
          open quotes, invoices and requests. The statements keep their entries.
        </p>
        {confirming === 'reset' ? (
          <Confirmation
            title="Reset this user?"
            text="All connected apps lose access on their next call, and open quotes and invoices expire. You cannot undo this."
          >
            <UserForm action="/sandbox/forms/user/reset">
              <button className="button button-danger">Reset this user</button>
            </UserForm>
            <Cancel />
          </Confirmation>
        ) : (
          <a className="button button-danger" href={`/settings?confirm=reset#${CONFIRMATION}`}>
            Reset
          </a>
        )}
      </section>

      <section className="mt-10 max-w-2xl" aria-labelledby="delete">
        <h2 id="delete">Delete</h2>
        {expiresAt === null ? (
          <p className="mt-2 text-muted">
            This test user belongs to everyone who uses this sandbox, so you can reset it but not delete it.
          </p>
        ) : (
          <>
            <p className="mt-2 mb-3 text-muted">
              Ends all sessions and connections. Payments to the address are refused, and the name is never issued
              again. Without use, this happens on <Instant at={expiresAt} />.
            </p>
            {confirming === 'delete' ? (
              <Confirmation
                title={`Delete ${user.displayName}?`}
                text="You are signed out, connected apps lose access on their next call, and the test money is lost. You cannot undo this."
              >
                <UserForm action="/sandbox/forms/user/delete">
                  <button className="button button-danger">Delete this user</button>
                </UserForm>
                <Cancel />
              </Confirmation>
            ) : (
              <a className="button button-danger" href={`/settings?confirm=delete#${CONFIRMATION}`}>
                Delete
              </a>
            )}
          </>
        )}
      </section>
    </>
  )
}

function Cancel() {
  return (
    <Link className="button" href="/settings">
      Cancel
    </Link>
  )
}
