import { cookieName, isSecure } from '@/lib/auth/cookies'
import { deps } from '@/lib/deps'
import { ownPath } from '@/lib/http/own-path'
import { plainText, seeOther } from '@/lib/http/page-answers'
import { answerErrors } from '@/lib/http/page-route'
import { readBody } from '@/lib/http/read-body'
import { isSameOrigin } from '@/lib/http/same-origin'

const YEAR_SECONDS = 365 * 24 * 60 * 60

export async function POST(request: Request): Promise<Response> {
  const { settings } = deps()
  if (!isSameOrigin(request.headers.get('origin'), settings.publicOrigin))
    return plainText(403, 'This form was sent from another site.')
  return answerErrors(deps(), async () => {
    const form = new URLSearchParams(await readBody(request))
    const theme = form.get('theme')
    const kept = theme === 'light' || theme === 'dark'
    const secure = isSecure(settings) ? '; Secure' : ''
    const cookie = `${cookieName(settings, 'theme')}=${kept ? theme : ''}; Path=/; Max-Age=${kept ? YEAR_SECONDS : 0}; HttpOnly; SameSite=Lax${secure}`
    return seeOther(ownPath(form.get('back') ?? '/', settings.publicOrigin), { 'Set-Cookie': cookie })
  })
}
