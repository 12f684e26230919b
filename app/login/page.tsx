import type { Metadata } from 'next'
import { BankHeader } from '@/components/bank-link'
import { LearnZone } from '@/components/learn-zone'
import { Main } from '@/components/main'
import { News } from '@/components/news'
import { ZONE_COOKIE } from '@/components/page-zone'
import { LeavingTemporaryUser, OwnUserForm } from '@/components/sandbox-slots'
import { Success } from '@/components/ui/alert'
import { currentUser, isPastTeamGate, type CurrentUser } from '@/lib/accounts/sessions/current-user'
import { csrfToken } from '@/lib/accounts/sign-in/csrf'
import { isActiveUser, listTestUsers, type UserCard } from '@/lib/accounts/users'
import { application, type Application } from '@/lib/backend/application'
import { protocol } from '@/lib/backend/protocol'
import { continueAddress, continueAs } from '@/lib/connections/connect'
import { freshConnections } from '@/lib/connections/queries'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { PasswordForm } from './password-form'
import { pendingBack, pendingLogin } from './pending-login'
import { Requester } from './requester'
import { SignInError } from './sign-in-error'
import { TeamForm } from './team-form'
import { UserPicker } from './user-picker'

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
      <Main header={<BankHeader />}>
        <div className="page py-12">
          <h1>Sign in to {settings.vaspName}</h1>
          <TeamForm vaspName={settings.vaspName} back={backTo(params)} error={singleParam(params.team)} />
        </div>
      </Main>
    )
  const error = singleParam(params.error)
  const pending = await pendingLogin(settings, { pending: singleParam(params.pending), error })
  const csrf = await csrfToken(settings)
  const read = pending === undefined ? undefined : await protocol().login.read(pending, csrf)
  const login = typeof read === 'object' ? read : undefined
  const known = await whoIsKnown(current, login?.asksFor)
  const { user, asked, testUsers } = known ?? { user: null, asked: null, testUsers: [] }
  const callbackUrl =
    login === undefined
      ? ((await pendingBack(settings, { back: singleParam(params.back), error })) ?? '/wallets')
      : continueAddress(login.pending)
  const form = { csrf, callbackUrl }
  const printed = settings.printedPassword
  // The user that the app asks for comes first, alone. Otherwise the signed-in user does.
  const first = asked ?? user?.username ?? null
  const others = testUsers.filter(({ username }) => username !== first && username !== user?.username)
  const askedTestUser = testUsers.find(({ username }) => username === asked)
  const asksForPassword = asked !== null && asked !== user?.username && askedTestUser === undefined
  const toContinue =
    user === null ? null : (
      <p className="mb-8">
        <a
          className={`button ${first === user.username ? 'button-main' : ''}`}
          href={login === undefined ? callbackUrl : continueAs(callbackUrl, user.username)}
        >
          Continue as {user.displayName}
        </a>
        <span className="label ml-3">You are signed in as {user.address}.</span>
      </p>
    )
  const hasTools = settings.sandboxTools && known !== undefined
  // Heading, requester, sign-in: the order for screen readers and on a phone.
  return (
    <Main header={<BankHeader />}>
      <div className="page py-12">
        <LearnZone cookie={ZONE_COOKIE} />
        {user === null ? null : <News connections={await freshConnections(current, user.username)} />}
        <div className="grid gap-x-16 gap-y-8 lg:grid-cols-[1fr_20rem] lg:grid-rows-[auto_1fr]">
          <div>
            <h1>Sign in to {settings.vaspName}</h1>
            {singleParam(params.done) === 'deleted' ? <Success>Your user was deleted.</Success> : null}
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
            {first === user?.username ? toContinue : null}
            {askedTestUser === undefined || printed === undefined || asked === user?.username ? null : (
              <UserPicker users={[askedTestUser]} requested password={printed} {...form} />
            )}
            {asksForPassword ? (
              <section aria-labelledby="asked">
                <h2 id="asked">Sign in as {asked}</h2>
                <p className="label mt-2">The app requests this user.</p>
                <PasswordForm username={asked} {...form} />
              </section>
            ) : null}
            {first !== null && (hasTools || user !== null || !asksForPassword) ? (
              <h2 className="mt-10 mb-4">Someone else</h2>
            ) : null}
            {first === user?.username ? null : toContinue}
            <LeavingTemporaryUser user={user} sandboxTools={settings.sandboxTools} />
            {hasTools ? (
              <OwnUserForm callbackUrl={callbackUrl} back={backTo(params)} hours={settings.sandboxUsers.unusedHours} />
            ) : null}
            {others.length > 0 && printed !== undefined ? (
              <UserPicker users={others} password={printed} {...form} />
            ) : null}
            {asksForPassword ? null : (
              <details className="mt-8" open={testUsers.length === 0 || error !== undefined}>
                <summary className="tap text-accent">Sign in with name and password</summary>
                <PasswordForm username={known === undefined ? (login?.asksFor ?? '') : ''} {...form} />
              </details>
            )}
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
    const value = singleParam(params[name])
    if (value !== undefined) query.set(name, value)
  }
  return query.size === 0 ? '/login' : `/login?${query}`
}

interface Known {
  /** The signed-in user. */
  readonly user: CurrentUser | null
  /** The name of the user that the app asks for, if this VASP has such a user. */
  readonly asked: string | null
  /** The users that sign in with the printed password. */
  readonly testUsers: readonly UserCard[]
}

/** Undefined while the database does not answer: the page then shows an error and keeps the gateway's request. */
async function whoIsKnown(current: Application, asksFor: string | undefined): Promise<Known | undefined> {
  try {
    const [user, isUser, testUsers] = await Promise.all([
      currentUser(current),
      asksFor !== undefined && isActiveUser(current.db, asksFor),
      current.settings.printedPassword === undefined ? [] : listTestUsers(current),
    ])
    return { user, asked: isUser && asksFor !== undefined ? asksFor : null, testUsers }
  } catch (error) {
    current.log.error({ error }, 'the sign-in page could not read the database')
    return undefined
  }
}
