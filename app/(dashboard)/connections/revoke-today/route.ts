import { z } from 'zod'
import { userForm } from '@/app/user-form'
import { revokeToday } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/page-answers'

export const POST = userForm(z.object({}), async ({ app, username }) => {
  await revokeToday(app.db, username)
  app.events.record({ kind: 'connection', name: 'connections of the last 24 hours revoked', userId: username })
  return seeOther('/connections?done=revoked-today')
})
