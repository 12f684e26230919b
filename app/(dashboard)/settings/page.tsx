import type { Metadata } from 'next'
import { headers } from 'next/headers'
import { notFound } from 'next/navigation'
import { Alert, Success } from '@/components/ui/alert'
import { CopyField } from '@/components/ui/copy-field'
import { DescriptionItem } from '@/components/ui/description-item'
import { Link } from '@/components/ui/link'
import { Instant } from '@/components/ui/time'
import { UserForm } from '@/components/user-form'
import { application } from '@/lib/backend/application'
import { readExpiry } from '@/lib/sandbox/users/sandbox-users'
import { CONFIRMATION } from '@/lib/web/connection-links'
import { readFormError, type ErrorTexts } from '@/lib/web/form-errors'
import { singleParam, type SearchParams } from '@/lib/web/search-params'
import { openShownOnce, SHOWN_ONCE_HEADER } from '@/lib/web/shown-once'
import { Confirmation } from '../connections/confirmation'
import { ShownOnce } from '../developers/token/shown-once'
import { requireUser } from '../require-user'

export async function generateMetadata(): Promise<Metadata> {
  await requireUser()
  if (!application().settings.sandboxTools) notFound()
  return { title: 'Settings' }
}

const ERRORS: ErrorTexts = {
  pending: 'A payment of this user is in progress. Nothing was changed. Try again when it has ended.',
}

interface Props {
  readonly searchParams: SearchParams
}

export default async function SettingsPage({ searchParams }: Props) {
  const user = await requireUser()
  const { db, settings } = application()
  if (!settings.sandboxTools) notFound()
  const params = await searchParams
  const confirming = singleParam(params.confirm)
  const expiresAt = user.temporary ? await readExpiry(db, user.username) : null
  const password = await openShownOnce(settings, user.username, '/settings', (await headers()).get(SHOWN_ONCE_HEADER))
  const errors = readFormError(ERRORS, singleParam(params.error))
  return (
    <div className="py-8">
      <h1>Settings</h1>
      {singleParam(params.done) === 'reset' ? (
        <Success>The user was reset. Every wallet has its opening balance again.</Success>
      ) : null}
      {errors.form === undefined ? null : <Alert>{errors.form}</Alert>}

      <section className="mt-8" aria-labelledby="user">
        <h2 id="user">User</h2>
        <dl className="mt-3">
          <DescriptionItem term="Address" className="line py-2">
            <code>{user.address}</code>
          </DescriptionItem>
          {expiresAt === null ? null : (
            <DescriptionItem term="Deleted if unused until" className="line py-2">
              <Instant at={expiresAt} />
            </DescriptionItem>
          )}
        </dl>
      </section>

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
              again.
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
    </div>
  )
}

function Cancel() {
  return (
    <Link className="button" href="/settings">
      Cancel
    </Link>
  )
}
