import { z } from 'zod'
import { revokeToday } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/responses'
import { userForm } from '@/lib/web/form-handler'

export const POST = userForm(z.object({}), async ({ app, username }) => {
  await revokeToday(app.db, username)
  app.events.record({ kind: 'connection', name: 'connections of the last 24 hours revoked', userId: username })
  return seeOther('/connections?done=revoked-today')
})
