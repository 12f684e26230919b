import { cookieName, isSecure } from '@/lib/auth/cookies'
import { endSession } from '@/lib/auth/sessions'
import { sessionOfRequest } from '@/lib/auth/session'
import { seeOther } from '@/lib/http/page-answers'
import { ownForm } from '@/lib/http/page-route'

/** Signs out here and on the server. Connections live on until they are revoked. */
export const POST = ownForm('you are still signed in', async (current) => {
  const session = await sessionOfRequest(current)
  if (session !== null) await endSession(current.db, session.sessionId)
  const secure = isSecure(current.settings) ? '; Secure' : ''
  return seeOther('/', {
    'Set-Cookie': `${cookieName(current.settings, 'session')}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax${secure}`,
  })
})
