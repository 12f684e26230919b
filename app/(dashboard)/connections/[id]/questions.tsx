import { Field } from '@/components/ui/field'
import { Link } from '@/components/ui/link'
import { UserForm } from '@/components/user-form'
import type { ConnectionCard } from '@/lib/connections/queries'
import { Confirmation } from '../confirmation'

/** The new name that was refused, and why. */
interface Errors {
  readonly typed?: string | undefined
  readonly name?: string | undefined
}

interface RenameFormProps {
  readonly connection: ConnectionCard
  readonly errors: Errors
}

export function RenameForm({ connection: { id, name }, errors }: RenameFormProps) {
  return (
    <UserForm action="/connections/rename" className="mt-4 grid gap-3 border-l-2 border-accent pl-3 *:max-w-2xl">
      <input type="hidden" name="id" value={id} />
      <Field
        label="New name"
        name="name"
        aria-label={`New name of ${name}`}
        className=""
        value={errors.typed ?? name}
        error={errors.name}
        maxLength={80}
        required
      />
      <p className="flex flex-wrap gap-3">
        <button className="button button-main">Rename connection</button>
        <Link className="button" href="/connections">
          Cancel
        </Link>
      </p>
    </UserForm>
  )
}

export function RevokeConfirmation({ connection: { id, name } }: { readonly connection: ConnectionCard }) {
  return (
    <Confirmation
      title={`Revoke ${name}?`}
      text="The app loses access on its next call. You cannot undo this, but the app can ask again."
    >
      <UserForm action="/connections/revoke">
        <input type="hidden" name="id" value={id} />
        <button className="button button-danger" aria-label={`Revoke connection ${name}`}>
          Revoke connection
        </button>
      </UserForm>
      <Link className="button" href="/connections">
        Cancel
      </Link>
    </Confirmation>
  )
}
