import { z } from 'zod'
import { setCookie } from '@/lib/platform/http/cookies'
import { seeOther } from '@/lib/platform/http/responses'
import { userForm } from '@/lib/web/form-handler'

const YEAR_SECONDS = 365 * 24 * 60 * 60

/** Of this browser, as the colours are: another keyboard may need other keys. */
export const POST = userForm(
  z.object({ keys: z.enum(['on', 'off']) }),
  async ({ app: { settings }, fields: { keys } }) =>
    seeOther(
      '/settings?done=keys',
      keys === 'off' ? setCookie(settings, 'keys', 'off', YEAR_SECONDS) : setCookie(settings, 'keys', '', 0),
    ),
)
