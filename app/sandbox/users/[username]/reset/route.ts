import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { refusal, sandboxPost, tooMany, unknownCaller } from '@/app/sandbox/sandbox-route'
import { PRIVATE_HEADERS } from '@/lib/platform/http/responses'
import { consumeReset, resetUser } from '@/lib/sandbox/users/sandbox-users'

/** Resets the caller's user to the opening balances. */
export const POST = sandboxPost(
  z.strictObject({}),
  async ({ app, caller }, { username }: { readonly username: string }) => {
    const user = await caller()
    if (user === undefined) return unknownCaller()
    if (user !== username) return refusal(404, 'not_found', 'You have no such user.')
    const seconds = consumeReset(app.settings, username)
    if (seconds !== undefined)
      return tooMany(seconds, 'This user was reset too often. Create a user for each test instead.')
    const outcome = await resetUser(app, username, randomUUID())
    if (outcome === 'pending')
      return refusal(
        409,
        'payment_pending',
        'A payment of this user is in progress. Nothing was changed. Try again when it has ended.',
      )
    if (outcome === 'unknown') return unknownCaller()
    return new Response(null, { status: 204, headers: PRIVATE_HEADERS })
  },
)
