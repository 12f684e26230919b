import { currentUser } from '@/lib/accounts/sessions/current-user'
import { freshConnections } from '@/lib/connections/queries'
import { application } from '@/lib/backend/application'
import { countOpenRequests } from '@/lib/uma/invoices/requests'
import { PRIVATE_HEADERS } from '@/lib/platform/http/responses'
import { withTextErrors } from '@/lib/web/handle-errors'

export const dynamic = 'force-dynamic'

/** The notice on every page polls this while it is visible. */
export async function GET(): Promise<Response> {
  return withTextErrors(application(), async () => {
    const user = await currentUser(application())
    if (user === null)
      return Response.json({ error: 'You are signed out. Sign in again.' }, { status: 401, headers: PRIVATE_HEADERS })
    const [connections, requests] = await Promise.all([
      freshConnections(application(), user.username),
      countOpenRequests(application().db, user.username),
    ])
    return Response.json({ connections, requests }, { headers: PRIVATE_HEADERS })
  })
}
