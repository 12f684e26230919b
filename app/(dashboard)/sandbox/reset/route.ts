import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox-form'
import { listDeskUsers } from '@/lib/accounts/desk'
import { resetUser } from '@/lib/accounts/sandbox-users'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'

/** All users of the desk when absent. */
const Reset = z.object({ user: z.string().optional() })

export const POST = sandboxForm(Reset, async ({ app, fields: { user } }) => {
  const users = (await listDeskUsers(app)).filter(({ username }) => user === undefined || username === user)
  if (users.length === 0) return plainText(404, 'The desk has no such user. Nothing was changed.')
  const counts = { reset: 0, pending: 0, unknown: 0 }
  for (const { username } of users) counts[await resetUser(app, username, randomUUID())] += 1
  return seeOther(`/sandbox?reset=${counts.reset}&pending=${counts.pending}`)
})
