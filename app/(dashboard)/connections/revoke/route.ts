import { z } from 'zod'
import { userForm } from '@/app/user-form'
import { revokeConnection } from '@/lib/connections/service'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'

const Revoke = z.object({
  /** Printable, because a database text cannot hold NUL. No connection has an empty id. */
  id: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/)
    .catch(''),
})

export const POST = userForm(Revoke, async ({ app, username, fields }) =>
  (await revokeConnection(app.db, fields.id, username))
    ? seeOther('/connections?done=revoked')
    : plainText(404, 'You have no such connection, so nothing was changed.'),
)
