import { revokeConnection } from '@/lib/connections/service'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'

/** Ids are printable, and a database text cannot hold NUL. */
const ID = /^[\x21-\x7e]{1,64}$/

export const POST = personForm(async ({ deps, username, form }) => {
  const id = form.get('id') ?? ''
  const revoked = ID.test(id) && (await revokeConnection(deps.db, id, username))
  return revoked
    ? seeOther('/connections?done=revoked')
    : plainText(404, 'You have no such connection, so nothing was changed.')
})
