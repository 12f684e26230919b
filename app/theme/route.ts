import { setCookie } from '@/lib/platform/http/cookies'
import { localUrl } from '@/lib/platform/http/local-url'
import { readBody } from '@/lib/platform/http/read-body'
import { seeOther } from '@/lib/platform/http/responses'
import { fieldOf } from '@/lib/web/form-fields'
import { sameOriginForm } from '@/lib/web/form-handler'

const YEAR_SECONDS = 365 * 24 * 60 * 60

export const POST = sameOriginForm('nothing was changed', async ({ settings }, request) => {
  const form = new URLSearchParams(await readBody(request))
  const theme = fieldOf(form, 'theme')
  const kept = theme === 'light' || theme === 'dark'
  const cookie = kept ? setCookie(settings, 'theme', theme, YEAR_SECONDS) : setCookie(settings, 'theme', '', 0)
  return seeOther(localUrl(fieldOf(form, 'back') ?? '/', settings.publicOrigin), cookie)
})
