import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { listDeskUsers } from '@/lib/sandbox/users/sandbox-page'
import { resetUsers } from '@/lib/sandbox/users/sandbox-users'

/** The form names whom it resets, so that an absent field never resets more users than were shown. */
const Reset = z.union([z.object({ user: z.string() }), z.object({ all: z.literal('yes') })])

export const POST = sandboxForm(Reset, async ({ app, fields }) => {
  const users = (await listDeskUsers(app)).filter(({ username }) => !('user' in fields) || username === fields.user)
  if (users.length === 0) return plainText(404, 'The desk has no such user. Nothing was changed.')
  const usernames = users.map(({ username }) => username)
  const { reset, pending } = await resetUsers(app, usernames)
  return seeOther(`/sandbox?reset=${reset}&pending=${pending}`)
})
