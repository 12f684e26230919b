import { cookieName, isSecure } from '@/lib/auth/cookies'
import { endSession } from '@/lib/auth/sessions'
import { sessionOfRequest } from '@/lib/auth/session'
import { deps } from '@/lib/deps'
import { plainText, seeOther } from '@/lib/http/page-answers'
import { answerErrors } from '@/lib/http/page-route'
import { isSameOrigin } from '@/lib/http/same-origin'

/** Signs out here and on the server. Connections live on until they are revoked. */
export async function POST(request: Request): Promise<Response> {
  const current = deps()
  if (!isSameOrigin(request.headers.get('origin'), current.settings.publicOrigin)) {
    return plainText(403, 'This form was sent from another site, so you are still signed in.')
  }
  return answerErrors(current, async () => {
    const session = await sessionOfRequest(current)
    if (session !== null) await endSession(current.db, session.sessionId)
    const secure = isSecure(current.settings) ? '; Secure' : ''
    return seeOther('/', {
      'Set-Cookie': `${cookieName(current.settings, 'session')}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure}`,
    })
  })
}
