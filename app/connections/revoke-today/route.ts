import { revokeToday } from '@/lib/connections/changes'
import { seeOther } from '@/lib/http/page-answers'
import { personForm } from '@/lib/http/page-route'

export const POST = personForm(async ({ deps, username }) => {
  await revokeToday(deps.db, username)
  return seeOther('/connections?done=revoked-today')
})
