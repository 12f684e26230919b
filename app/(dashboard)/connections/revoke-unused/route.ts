import { z } from 'zod'
import { revokeUnused } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/responses'
import { UNUSED_HOURS, UNUSED_PERIODS } from '@/lib/web/connection-links'
import { userForm } from '@/lib/web/form-handler'

const RevokeUnused = z.object({ hours: z.enum(UNUSED_HOURS) })

export const POST = userForm(RevokeUnused, async ({ app, username, fields: { hours } }) => {
  const count = await revokeUnused(app.db, username, Number(hours))
  const summary = `${count} without a call in the last ${UNUSED_PERIODS[hours]}`
  app.events.record({ kind: 'connection', name: 'unused connections revoked', userId: username, summary })
  return seeOther('/connections?done=revoked-unused')
})
