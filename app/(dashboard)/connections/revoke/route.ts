import { z } from 'zod'
import { CONNECTION_ID } from '@/lib/connections/queries'
import { revokeConnection } from '@/lib/connections/service'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { userForm } from '@/lib/web/form-handler'

const Revoke = z.object({
  /** No connection has an empty id. */
  id: z.string().regex(CONNECTION_ID).catch(''),
})

export const POST = userForm(Revoke, async ({ app, username, fields }) => {
  if (!(await revokeConnection(app.db, fields.id, username)))
    return plainText(404, 'You have no such connection. Nothing was changed.')
  app.events.record({ kind: 'connection', name: 'connection revoked', userId: username, connectionId: fields.id })
  return seeOther('/connections?done=revoked')
})
