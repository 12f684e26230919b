import { sessionOfRequest } from '@/lib/accounts/sessions/current-user'
import { endSession } from '@/lib/accounts/sessions/session-store'
import { setCookie } from '@/lib/platform/http/cookies'
import { readBody } from '@/lib/platform/http/read-body'
import { seeOther } from '@/lib/platform/http/responses'
import { sameOriginForm } from '@/lib/web/form-handler'

/**
 * Ends the session in the browser and on the server. Connections stay active until they are revoked. A temporary user is asked first, on
 * a page whose form names the user.
 */
export const POST = sameOriginForm('you are still signed in', async (current, request) => {
  const session = await sessionOfRequest(current)
  const asked = new URLSearchParams(await readBody(request)).get('asked')
  if (session?.temporary === true && !session.suspended && asked !== session.username) return seeOther('/sign-out')
  if (session !== null) await endSession(current.db, session.sessionId)
  return seeOther('/', setCookie(current.settings, 'session', '', 0))
})
