import type { Metadata } from 'next'
import { LeavingTemporaryUser } from '@/components/sandbox-slots'
import { Link } from '@/components/ui/link'
import { application } from '@/lib/backend/application'
import { requireUser } from '../require-user'

export const metadata: Metadata = { title: 'Sign out' }

/** Asks a temporary user before `/logout` ends the session. */
export default async function SignOutPage() {
  const user = await requireUser()
  return (
    <div className="py-8">
      <h1>Sign out of {user.displayName}?</h1>
      <LeavingTemporaryUser user={user} sandboxTools={application().settings.sandboxTools} />
      <div className="mt-6 flex flex-wrap gap-3">
        <form method="post" action="/logout">
          <input type="hidden" name="asked" value={user.username} />
          <button className={`button ${user.temporary ? 'button-danger' : ''}`}>Sign out of {user.displayName}</button>
        </form>
        <Link className="button" href="/wallets">
          Stay signed in
        </Link>
      </div>
    </div>
  )
}
