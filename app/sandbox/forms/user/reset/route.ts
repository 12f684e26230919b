import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { consumeReset, resetUser } from '@/lib/sandbox/users/sandbox-users'
import { userForm } from '@/lib/web/form-handler'

export const POST = userForm(
  z.object({}),
  async ({ app, username }) => {
    if (!app.settings.sandboxTools) return plainText(404, 'This server has no sandbox tools.')
    const seconds = consumeReset(app.settings, username)
    if (seconds !== undefined)
      return plainText(429, 'This user was reset too often. Nothing was changed.', { 'Retry-After': String(seconds) })
    const outcome = await resetUser(app, username, randomUUID())
    return outcome === 'pending' ? { code: 'pending' } : seeOther('/settings?done=reset')
  },
  '/settings',
)
