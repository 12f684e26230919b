import type { Metadata } from 'next'
import { csrfToken } from '@/lib/auth/csrf'
import { chosenCallback, continueAs, readAsk } from '@/lib/auth/login-ask'
import { currentPerson, type Person } from '@/lib/auth/session'
import { deps, type Deps } from '@/lib/deps'
import { listPeople, type PersonCard } from '@/lib/users/people'
import { Main } from '../_components/main'
import { NewConnections } from '../_components/new-connections'
import { one, type SearchParams } from '../_components/params'
import { PasswordForm } from './password-form'
import { pendingAsk, pendingBack } from './pending-ask'
import { PersonPicker } from './person-picker'
import { SignInError } from './sign-in-error'
import { WhoAsks } from './who-asks'

export const metadata: Metadata = { title: 'Sign in' }

interface Props {
  readonly searchParams: SearchParams
}

export default async function LoginPage({ searchParams }: Props) {
  const current = deps()
  const { settings } = current
  const params = await searchParams
  const error = one(params.error)
  const given = await pendingAsk(settings, { ask: one(params.ask), error })
  const csrf = await csrfToken()
  const [ask, known] = await Promise.all([readAsk(current, given, csrf), whoIsKnown(current)])
  const { person, people } = known ?? { person: null, people: [] }
  const callbackUrl =
    ask === null
      ? ((await pendingBack(settings, { back: one(params.back), error })) ?? '/wallets')
      : await chosenCallback(current, ask, csrf)
  const asksForAnother = people.some(({ username }) => username === ask?.asksFor && username !== person?.username)
  // The heading, then who asks, then how to sign in: the order in which they are read aloud and, on a phone, seen.
  return (
    <Main>
      <div className="page py-12">
        {person === null ? null : <NewConnections username={person.username} requests={0} />}
        <div className="grid gap-x-16 gap-y-8 min-[860px]:grid-cols-[1fr_20rem] min-[860px]:grid-rows-[auto_1fr]">
          <div>
            <h1>Sign in to {settings.vaspName}</h1>
            <SignInError error={known === undefined ? 'Unavailable' : error} />
            {given !== undefined && ask === null ? (
              <p role="alert" className="mt-4 border-l-2 border-red pl-3">
                The gateway&rsquo;s request is older than 15 minutes or was changed on the way. Nothing was handed over.
                Start again at the gateway.
              </p>
            ) : null}
          </div>
          <WhoAsks ask={ask} vaspName={settings.vaspName} />
          <div>
            {person === null ? null : (
              <p className="mb-8">
                <a
                  className={`button ${asksForAnother ? '' : 'button-main'}`}
                  href={ask === null ? callbackUrl : continueAs(callbackUrl, person.username)}
                >
                  Continue as {person.displayName}
                </a>
                <span className="label ml-3">You are signed in as {person.address}.</span>
              </p>
            )}
            {people.length > 0 && settings.printedPassword !== undefined ? (
              <PersonPicker
                people={people.filter(({ username }) => username !== person?.username)}
                asksFor={ask?.asksFor ?? null}
                password={settings.printedPassword}
                csrf={csrf}
                callbackUrl={callbackUrl}
              />
            ) : null}
            <PasswordForm
              csrf={csrf}
              callbackUrl={callbackUrl}
              username={ask?.asksFor ?? ''}
              open={people.length === 0 || error !== undefined}
            />
          </div>
        </div>
      </div>
    </Main>
  )
}

/** Undefined while the database does not answer: the page then says so, and keeps the gateway's request. */
async function whoIsKnown(
  current: Deps,
): Promise<{ person: Person | null; people: readonly PersonCard[] } | undefined> {
  try {
    const people = current.settings.printedPassword === undefined ? [] : listPeople(current)
    const [person, listed] = await Promise.all([currentPerson(), people])
    return { person, people: listed }
  } catch (error) {
    current.log.error({ error }, 'the sign-in page could not ask the database')
    return undefined
  }
}
