import type { Metadata } from 'next'
import { csrfToken } from '@/lib/auth/csrf'
import { chosenCallback, readAsk } from '@/lib/auth/login-ask'
import { currentPerson } from '@/lib/auth/session'
import { deps } from '@/lib/deps'
import { listPeople } from '@/lib/users/people'
import { NewConnections } from '../_components/new-connections'
import { PasswordForm } from './password-form'
import { pendingAsk } from './pending-ask'
import { PersonPicker } from './person-picker'
import { SignInError } from './sign-in-error'
import { WhoAsks } from './who-asks'

export const metadata: Metadata = { title: 'Sign in' }

interface Props {
  readonly searchParams: Promise<Record<string, string | string[] | undefined>>
}

export default async function LoginPage({ searchParams }: Props) {
  const current = deps()
  const { settings } = current
  const params = await searchParams
  const error = one(params.error)
  const given = await pendingAsk(settings, { ask: one(params.ask), error })
  const [ask, person, csrf] = await Promise.all([readAsk(current, given), currentPerson(), csrfToken()])
  const people = settings.printedPassword === undefined ? [] : await listPeople(current)
  const callbackUrl = ask === null ? '/connections' : await chosenCallback(current, ask)
  // The heading, then who asks, then how to sign in: the order in which they are read aloud and, on a phone, seen.
  return (
    <div className="page py-12">
      {person === null ? null : <NewConnections username={person.username} />}
      <div className="grid gap-x-16 gap-y-8 min-[860px]:grid-cols-[1fr_20rem] min-[860px]:grid-rows-[auto_1fr]">
        <div>
          <h1>Sign in to {settings.vaspName}</h1>
          <SignInError error={error} />
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
              <a className="button button-main" href={callbackUrl}>
                Continue as {person.displayName}
              </a>
              <span className="label ml-3">You are signed in as {person.address}.</span>
            </p>
          )}
          {people.length > 0 && settings.printedPassword !== undefined ? (
            <PersonPicker
              people={people}
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
  )
}

function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
