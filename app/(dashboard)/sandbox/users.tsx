import { Success } from '@/components/ui/alert'
import { Amount } from '@/components/ui/amount'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { Moment } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import { MAX_DESK_USERS, type DeskUser } from '@/lib/sandbox/users/sandbox-page'
import { CONFIRMATION } from '@/lib/web/connection-links'
import { Confirmation } from '../connections/confirmation'
import { inWords } from './reset-outcome'

const RESET =
  'Wallets return to their opening balances, connected apps lose access on their next call, and open quotes, invoices and requests expire. Statements keep their entries. You cannot undo this.'
const SUSPEND =
  'This user can no longer sign in or use these pages. Connected apps are refused with 401 on their next call, and new incoming payments are refused. Payments in progress end as usual, and existing invoices stay payable. Resuming restores every connection that was not revoked.'

interface UsersProps {
  readonly users: readonly DeskUser[]
  /** The signed-in user. */
  readonly reader: string
  readonly now: Date
  /** The open confirmation: `all` and `user:bob` for a reset, `suspend:bob` for a suspension. */
  readonly confirming: string | undefined
  /** The user that was just suspended or resumed. */
  readonly changed: string | undefined
  /** For the forms that sign in as a test user. Undefined when the reader may not leave, or no password is printed. */
  readonly signIn: { readonly csrf: string; readonly password: string } | undefined
}

/** The users of the desk with their states, and what a presenter can do to them. */
export function Users({ users, reader, now, confirming, changed, signIn }: UsersProps) {
  const just = users.find(({ username }) => username === changed)
  return (
    <section aria-labelledby="users" className="mt-10">
      <div className="flex flex-wrap items-end justify-between gap-4">
        <h2 id="users">Users</h2>
        <a className="button" href={`/sandbox?confirm=all#${CONFIRMATION}`}>
          Reset all
        </a>
      </div>
      <p className="mt-2 max-w-2xl text-muted">
        Suspend a user to show how its apps, its payers and the sign-in page react. You cannot suspend your own user.{' '}
        <code>npm run users</code> does the same from the command line.
      </p>
      {just === undefined ? null : (
        <Success>
          {just.displayName} is {just.state}.
        </Success>
      )}
      {confirming === 'all' ? (
        <ResetConfirmation title={`Reset all ${users.length} users?`} button={`Reset ${users.length} users`} />
      ) : null}
      <ul className="mt-4">
        {users.map((user) => (
          <UserEntry
            key={user.username}
            user={user}
            isReader={user.username === reader}
            now={now}
            confirming={confirming}
            signIn={signIn}
          />
        ))}
      </ul>
      {users.length === MAX_DESK_USERS ? (
        <p className="line py-3 text-muted">These are the first {MAX_DESK_USERS} users.</p>
      ) : null}
      <div className="double-rule" />
    </section>
  )
}

interface UserEntryProps extends Pick<UsersProps, 'now' | 'confirming' | 'signIn'> {
  readonly user: DeskUser
  readonly isReader: boolean
}

function UserEntry({ user, isReader, now, confirming, signIn }: UserEntryProps) {
  const { username, displayName, address, state, pendingPayments, balances, isTestUser } = user
  const live = [username, state, pendingPayments, ...balances.map(({ code, available }) => `${code}${available}`)]
  return (
    <li className="line py-3" data-live={live.join(' ')}>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Identicon text={address} size={36} />
        <div className="min-w-0 flex-1 basis-56">
          <h3 className="break-words">{displayName}</h3>
          <code className="break-words">{address}</code>
        </div>
        <State user={user} isReader={isReader} now={now} />
        <Balances balances={balances} />
        <div className="flex gap-5 sm:w-56 sm:justify-end">
          {signIn === undefined || isReader || !isTestUser || state !== 'active' ? null : (
            <form method="post" action="/api/auth/callback/credentials">
              <input type="hidden" name="csrfToken" value={signIn.csrf} />
              <input type="hidden" name="callbackUrl" value="/wallets" />
              <input type="hidden" name="password" value={signIn.password} />
              <button
                className="button button-quiet"
                name="username"
                value={username}
                aria-label={`Sign in as ${displayName}`}
              >
                Sign in
              </button>
            </form>
          )}
          <Suspension user={user} isReader={isReader} />
          <a
            className="button button-quiet"
            href={`/sandbox?confirm=${encodeURIComponent(`user:${username}`)}#${CONFIRMATION}`}
            aria-label={`Reset ${displayName}`}
          >
            Reset
          </a>
        </div>
      </div>
      {confirming === `user:${username}` ? (
        <ResetConfirmation title={`Reset ${displayName}?`} button={`Reset ${displayName}`} user={username} />
      ) : null}
      {confirming === `suspend:${username}` && state === 'active' && !isReader ? (
        <Confirmation title={`Suspend ${displayName}?`} text={SUSPEND}>
          <UserForm action="/sandbox/state">
            <input type="hidden" name="user" value={username} />
            <button className="button button-danger" name="do" value="suspend">
              Suspend {displayName}
            </button>
          </UserForm>
          <Cancel />
        </Confirmation>
      ) : null}
    </li>
  )
}

/** What each wallet can spend. */
function Balances({ balances }: Pick<DeskUser, 'balances'>) {
  return (
    <ul aria-label="Balances" className="min-w-0 flex-1 basis-32 sm:text-right">
      {balances.map(({ code, available }) => (
        <li key={code} className="max-sm:mr-4 max-sm:inline-block">
          <Amount units={available} code={code} />
        </li>
      ))}
    </ul>
  )
}

function State({ user, isReader, now }: Omit<UserEntryProps, 'confirming' | 'signIn'>) {
  const { state, isTemporary, expiresAt, lastUsedAt, pendingPayments } = user
  return (
    <p className="label min-w-0 flex-1 basis-44">
      <span className={state === 'active' ? 'text-green' : 'text-red'}>
        {state === 'active' ? '● Active' : '× Suspended'}
      </span>
      {isReader ? ', signed in here' : null}
      {isTemporary ? ', temporary' : null}
      <span className="block">
        {lastUsedAt === null ? (
          'Not used yet'
        ) : (
          <>
            Used <Moment at={lastUsedAt} now={now} />
          </>
        )}
        {expiresAt === null ? null : (
          <>
            , deleted <Moment at={expiresAt} now={now} /> if not used
          </>
        )}
      </span>
      {pendingPayments === 0 ? null : (
        <span className="block text-ink">{inWords(pendingPayments, 'payment')} in progress</span>
      )}
    </p>
  )
}

/** Suspends after a confirmation. Resuming needs none, because it takes nothing from the user. */
function Suspension({ user, isReader }: Pick<UserEntryProps, 'user' | 'isReader'>) {
  const { username, displayName, state } = user
  if (state === 'suspended')
    return (
      <UserForm action="/sandbox/state">
        <input type="hidden" name="user" value={username} />
        <button className="button button-quiet" name="do" value="resume" aria-label={`Resume ${displayName}`}>
          Resume
        </button>
      </UserForm>
    )
  if (isReader) return null
  return (
    <a
      className="button button-quiet"
      href={`/sandbox?confirm=${encodeURIComponent(`suspend:${username}`)}#${CONFIRMATION}`}
      aria-label={`Suspend ${displayName}`}
    >
      Suspend
    </a>
  )
}

interface ResetConfirmationProps {
  readonly title: string
  readonly button: string
  /** All users of the desk when absent. */
  readonly user?: string
}

function ResetConfirmation({ title, button, user }: ResetConfirmationProps) {
  return (
    <Confirmation title={title} text={RESET}>
      <UserForm action="/sandbox/reset">
        <input
          type="hidden"
          {...(user === undefined ? { name: 'all', value: 'yes' } : { name: 'user', value: user })}
        />
        <button className="button button-danger">{button}</button>
      </UserForm>
      <Cancel />
    </Confirmation>
  )
}

function Cancel() {
  return (
    <Link className="button" href="/sandbox">
      Cancel
    </Link>
  )
}
