import { z } from 'zod'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { singleton } from '@/lib/platform/process-singletons'
import { makeRateLimiter } from '@/lib/platform/rate-limiter'
import { setRandomPassword } from '@/lib/sandbox/users/sandbox-users'
import { userForm } from '@/lib/web/form-handler'
import { sealShownOnce } from '@/lib/web/shown-once'

export const POST = userForm(z.object({}), async ({ app, username, sessionId }) => {
  const { settings } = app
  // Hashing a password costs as much work as a sign-in.
  const limiter = singleton('new-password-limiter', () => makeRateLimiter({ perSecond: 0.1, burst: 3 }))
  if (limiter.consume(username) !== undefined) return plainText(429, 'Wait ten seconds. Then try again.')
  const password = settings.sandboxTools ? await setRandomPassword(app, username, sessionId) : undefined
  if (password === undefined) return plainText(404, 'The password of this user cannot be changed here.')
  return seeOther('/settings#password', await sealShownOnce(settings, username, '/settings', password))
})
