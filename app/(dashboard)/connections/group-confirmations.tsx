import Link from 'next/link'
import { UserForm } from '@/components/user-form'
import { Confirmation } from './confirmation'

export function RevokeTodayConfirmation() {
  return (
    <Confirmation
      title="Revoke all connections from the last 24 hours?"
      text="These apps lose access on their next call, and sign-ins from the last 24 hours can create no new connections. You cannot undo this, but apps can ask again."
    >
      <UserForm action="/connections/revoke-today">
        <button className="button button-danger">Revoke all from the last 24 hours</button>
      </UserForm>
      <Cancel />
    </Confirmation>
  )
}

function Cancel() {
  return (
    <Link prefetch={false} className="button" href="/connections">
      Cancel
    </Link>
  )
}
