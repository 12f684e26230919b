import { z } from 'zod'
import { userForm } from '@/app/user-form'
import { revokeConnection } from '@/lib/connections/service'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'

const Revoke = z.object({
  /** Printable, because text in the database cannot contain NUL. No connection has an empty id. */
  id: z
    .string()
    .regex(/^[\x21-\x7e]{1,64}$/)
    .catch(''),
})

export const POST = userForm(Revoke, async ({ app, username, fields }) => {
  if (!(await revokeConnection(app.db, fields.id, username)))
    return plainText(404, 'You have no such connection. Nothing was changed.')
  app.events.record({ kind: 'connection', name: 'connection revoked', userId: username, connectionId: fields.id })
  return seeOther('/connections?done=revoked')
})
