import { z } from 'zod'
import { CONNECTION_ID } from '@/lib/connections/queries'
import { renameConnection } from '@/lib/connections/service'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { isVisibleLine } from '@/lib/platform/visible-text'
import { confirmationLink } from '@/lib/web/connection-links'
import { userForm } from '@/lib/web/form-handler'

const Rename = z.object({
  id: z.string().regex(CONNECTION_ID),
  name: z
    .string()
    .trim()
    // Hidden characters could make one name look like another.
    .refine((name) => name.length <= 80 && isVisibleLine(name), 'invalid')
    .prefault(''),
})

export const POST = userForm(
  Rename,
  async ({ app, username, fields: { id, name } }) => {
    if (!(await renameConnection(app.db, id, username, name)))
      return plainText(404, 'You have no such connection. Nothing was changed.')
    app.events.record({ kind: 'connection', name: 'connection renamed', userId: username, connectionId: id })
    return seeOther('/connections?done=renamed')
  },
  ({ id = '' }) => confirmationLink('rename', id).replace(/#.*/, ''),
)
