import { sessionOfRequest } from '@/lib/accounts/sessions/current-user'
import { userOfSession } from '@/lib/accounts/sessions/session-store'
import { application } from '@/lib/backend/application'
import { eventReaderOf } from '@/lib/events/queries'
import { streamEvents } from '@/lib/events/stream'
import { plainText } from '@/lib/platform/http/responses'
import { withTextErrors } from '@/lib/web/handle-errors'

export const dynamic = 'force-dynamic'

const EVENT_ID = /^\d{1,18}$/

/** The events of the signed-in user as they happen. `Last-Event-ID`, or `?after=`, is the last event that the browser has. */
export function GET(request: Request): Promise<Response> {
  const current = application()
  return withTextErrors(current, async () => {
    const { settings, db } = current
    if (!settings.sandboxTools) return plainText(404, 'There is no event stream on this server.')
    const session = await sessionOfRequest(current)
    if (session === null || session.suspended) return plainText(401, 'Sign in to read your events.')
    const { searchParams } = new URL(request.url)
    const formUser = searchParams.get('user')
    // The request is from a tab of a user who signed in earlier.
    if (formUser !== null && formUser !== session.username) return plainText(409, 'Another user is signed in now.')
    const after = request.headers.get('last-event-id') ?? searchParams.get('after') ?? ''
    return streamEvents(current, {
      reader: eventReaderOf(settings, session.username),
      sessionId: session.sessionId,
      afterId: EVENT_ID.test(after) ? BigInt(after) : undefined,
      signal: request.signal,
      isSessionLive: async () => (await userOfSession(db, session.sessionId))?.suspended === false,
    })
  })
}
