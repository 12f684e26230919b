import { z } from 'zod'
import { closeUser } from '@/lib/accounts/users'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { isTemporary } from '@/lib/sandbox/users/sandbox-users'
import { userForm } from '@/lib/web/form-handler'

export const POST = userForm(z.object({}), async ({ app, username }) => {
  if (!app.settings.sandboxTools) return plainText(404, 'This server has no sandbox tools.')
  if (!(await isTemporary(app.db, username)))
    return plainText(403, 'This user cannot be deleted here. Nothing was changed.')
  await closeUser(app, username)
  return seeOther('/login?done=deleted')
})
