import { revokeConnection } from '@/lib/connections/changes'
import { seeOther } from '@/lib/http/page-answers'
import { personForm } from '@/lib/http/page-route'

export const POST = personForm(async ({ deps, username, form }) => {
  const id = form.get('id') ?? ''
  // Ids are printable; anything else is nobody's connection, and a database text cannot hold NUL.
  if (/^[\x21-\x7e]{1,64}$/.test(id)) await revokeConnection(deps.db, id, username)
  return seeOther('/connections?done=revoked')
})
