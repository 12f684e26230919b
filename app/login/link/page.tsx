import type { Metadata } from 'next'
import { notFound } from 'next/navigation'
import { addressOf } from 'uma-auth-vasp'
import { BankHeader } from '@/components/bank-link'
import { Main } from '@/components/main'
import { Alert } from '@/components/ui/alert'
import { Identicon } from '@/components/ui/identicon'
import { Link } from '@/components/ui/link'
import { currentUser } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { SIGN_IN_CODE_MINUTES } from '@/lib/sandbox/users/sandbox-users'
import { readSignInCode } from '@/lib/sandbox/users/sign-in-code'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { LeavingTemporaryUser } from '../../sandbox/slots/leaving-temporary-user'

export function generateMetadata(): Metadata {
  if (!application().settings.sandboxTools) notFound()
  return { title: 'Sign-in link' }
}

interface Props {
  readonly searchParams: SearchParams
}

/**
 * The page of a sign-in link. A click signs in, not the visit: programs that preview links would use up the code, and a link from
 * another person could sign this browser in unnoticed.
 */
export default async function SignInLinkPage({ searchParams }: Props) {
  const current = application()
  const { db, settings } = current
  if (!settings.sandboxTools) notFound()
  const code = singleParam((await searchParams).code) ?? ''
  const [user, signedIn] = await Promise.all([readSignInCode(db, code), currentUser(current)])
  return (
    <Main header={<BankHeader />}>
      <div className="page py-12">
        <h1>Sign in to {settings.vaspName}</h1>
        {user === undefined ? (
          <>
            <Alert>
              This sign-in link was used before, or it is older than {SIGN_IN_CODE_MINUTES} minutes. Sign in with the
              user name and password that were created with it.
            </Alert>
            <p className="mt-6">
              <Link className="button" href="/login">
                Go to the sign-in page
              </Link>
            </p>
          </>
        ) : (
          <form method="post" action="/sandbox/forms/sign-in-link" className="mt-8">
            <input type="hidden" name="code" value={code} />
            <div className="flex items-center gap-4">
              <Identicon text={addressOf(user.username, settings.vaspDomain)} />
              <p className="min-w-0 leading-tight">
                <span className="block font-serif text-lg">{user.displayName}</span>
                <code className="text-muted">{addressOf(user.username, settings.vaspDomain)}</code>
              </p>
            </div>
            {signedIn?.username === user.username ? null : <LeavingTemporaryUser user={signedIn} sandboxTools />}
            <button className="button button-main mt-6">Sign in as {user.displayName}</button>
          </form>
        )}
      </div>
    </Main>
  )
}
