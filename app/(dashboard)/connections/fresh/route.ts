import { currentUser } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { freshConnections } from '@/lib/connections/queries'
import { PRIVATE_HEADERS } from '@/lib/platform/http/responses'
import { withTextErrors } from '@/lib/web/handle-errors'

export const dynamic = 'force-dynamic'

/** The notice on every page polls this while it is visible. */
export async function GET(): Promise<Response> {
  return withTextErrors(application(), async () => {
    const app = application()
    const user = await currentUser(app)
    if (user === null)
      return Response.json({ error: 'You are signed out. Sign in again.' }, { status: 401, headers: PRIVATE_HEADERS })
    const [connections, requests] = await Promise.all([
      freshConnections(app, user.username),
      app.umaInvoices?.countOpenRequests(app.db, user.username),
    ])
    return Response.json({ connections, requests: requests ?? 0 }, { headers: PRIVATE_HEADERS })
  })
}
