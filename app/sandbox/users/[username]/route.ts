import { refusal, sandboxDelete, unknownCaller } from '@/app/sandbox/sandbox-route'
import { closeUser } from '@/lib/accounts/users'
import { PRIVATE_HEADERS } from '@/lib/platform/http/responses'
import { isTemporary } from '@/lib/sandbox/users/sandbox-users'

/** Closes the caller's user. The name is never issued again. */
export const DELETE = sandboxDelete<{ readonly username: string }>(async ({ app, caller }, { username }) => {
  const user = await caller()
  if (user === undefined) return unknownCaller()
  if (user !== username) return refusal(404, 'not_found', 'You have no such user.')
  if (!(await isTemporary(app.db, username)))
    return refusal(
      403,
      'shared_user',
      'This user belongs to everyone who uses this sandbox. It can be reset, not deleted.',
    )
  // Of two simultaneous requests, the second finds the user already closed, as it requested.
  await closeUser(app, username)
  return new Response(null, { status: 204, headers: PRIVATE_HEADERS })
})
