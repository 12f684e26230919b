import type { Metadata } from 'next'
import { csrfToken } from '@/lib/accounts/csrf'
import { continueAddress, continueAs } from '@/lib/connections/connect'
import { currentUser, isPastTeamGate, type CurrentUser } from '@/lib/accounts/session'
import { vasp } from '@/lib/backend/vasp'
import { application, type Application } from '@/lib/backend/application'
import { listUsers, type UserCard } from '@/lib/accounts/queries'
import { Main } from '@/components/main'
import { News } from '@/components/news'
import { Success } from '@/components/ui/alert'
import { one, type SearchParams } from '@/lib/ui/search-params'
import { OwnUserForm } from './own-user-form'
import { PasswordForm } from './password-form'
import { pendingBack, pendingLogin } from './pending-login'
import { UserPicker } from './user-picker'
import { SignInError } from './sign-in-error'
import { TeamForm } from './team-form'
import { Requester } from './requester'

export const metadata: Metadata = { title: 'Sign in' }

interface Props {
  readonly searchParams: SearchParams
}

export default async function LoginPage({ searchParams }: Props) {
  const current = application()
  const { settings } = current
  const params = await searchParams
  if (!(await isPastTeamGate(current)))
    return (
      <Main>
        <div className="page py-12">
          <h1>Sign in to {settings.vaspName}</h1>
          <TeamForm vaspName={settings.vaspName} back={backTo(params)} error={one(params.team)} />
        </div>
      </Main>
    )
  const error = one(params.error)
  const pending = await pendingLogin(settings, { pending: one(params.pending), error })
  const csrf = await csrfToken(settings)
  const [read, known] = await Promise.all([
    pending === undefined ? undefined : vasp().login.read(pending, csrf),
    whoIsKnown(current),
  ])
  const login = typeof read === 'object' ? read : undefined
  const { user, users } = known ?? { user: null, users: [] }
  const callbackUrl =
    login === undefined
      ? ((await pendingBack(settings, { back: one(params.back), error })) ?? '/wallets')
      : continueAddress(login.pending)
  const asksForAnother = users.some(({ username }) => username === login?.asksFor && username !== user?.username)
  // Heading, requester, sign-in: the order for screen readers and on a phone.
  return (
    <Main>
      <div className="page py-12">
        {user === null ? null : <News username={user.username} requests={0} />}
        <div className="grid gap-x-16 gap-y-8 lg:grid-cols-[1fr_20rem] lg:grid-rows-[auto_1fr]">
          <div>
            <h1>Sign in to {settings.vaspName}</h1>
            {one(params.done) === 'deleted' ? <Success>Your user was deleted.</Success> : null}
            <SignInError error={known === undefined ? 'Unavailable' : error} />
            {typeof read === 'string' ? (
              <p role="alert" className="mt-4 border-l-2 border-red pl-3">
                {read === 'expired'
                  ? 'This sign-in request is older than 10 minutes.'
                  : 'This sign-in request was altered, or it was started in another browser.'}{' '}
                Nothing was shared. Start again in the app that sent you here.
              </p>
            ) : null}
          </div>
          {typeof read === 'string' ? null : <Requester login={login} vaspName={settings.vaspName} />}
          <div>
            {user === null ? null : (
              <p className="mb-8">
                <a
                  className={`button ${asksForAnother ? '' : 'button-main'}`}
                  href={login === undefined ? callbackUrl : continueAs(callbackUrl, user.username)}
                >
                  Continue as {user.displayName}
                </a>
                <span className="label ml-3">You are signed in as {user.address}.</span>
              </p>
            )}
            {settings.sandboxTools && known !== undefined ? (
              <OwnUserForm callbackUrl={callbackUrl} back={backTo(params)} hours={settings.sandboxUsers.unusedHours} />
            ) : null}
            {users.length > 0 && settings.printedPassword !== undefined ? (
              <UserPicker
                users={users.filter(({ username }) => username !== user?.username)}
                asksFor={login?.asksFor ?? null}
                password={settings.printedPassword}
                csrf={csrf}
                callbackUrl={callbackUrl}
              />
            ) : null}
            <PasswordForm
              csrf={csrf}
              callbackUrl={callbackUrl}
              username={login?.asksFor ?? ''}
              open={users.length === 0 || error !== undefined}
            />
          </div>
        </div>
      </div>
    </Main>
  )
}

/** The URL of this page with the pending login of a gateway, or the page to return to. */
function backTo(params: Awaited<SearchParams>): string {
  const query = new URLSearchParams()
  for (const name of ['pending', 'back', 'error'] as const) {
    const value = one(params[name])
    if (value !== undefined) query.set(name, value)
  }
  return query.size === 0 ? '/login' : `/login?${query}`
}

/** Undefined while the database does not answer: the page then shows an error and keeps the gateway's request. */
async function whoIsKnown(
  current: Application,
): Promise<{ user: CurrentUser | null; users: readonly UserCard[] } | undefined> {
  try {
    const users = current.settings.printedPassword === undefined ? [] : listUsers(current)
    const [user, listed] = await Promise.all([currentUser(current), users])
    return { user, users: listed }
  } catch (error) {
    current.log.error({ error }, 'the sign-in page could not read the database')
    return undefined
  }
}
