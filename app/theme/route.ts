import { cookieName, isSecure } from '@/lib/platform/http/cookies'
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
  const secure = isSecure(settings) ? '; Secure' : ''
  const cookie = `${cookieName(settings, 'theme')}=${kept ? theme : ''}; Path=/; Max-Age=${kept ? YEAR_SECONDS : 0}; HttpOnly; SameSite=Lax${secure}`
  return seeOther(localUrl(fieldOf(form, 'back') ?? '/', settings.publicOrigin), { 'Set-Cookie': cookie })
})
