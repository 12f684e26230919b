import { revokeToday } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'

export const POST = personForm(async ({ deps, username }) => {
  await revokeToday(deps.db, username)
  return seeOther('/connections?done=revoked-today')
})
