import { currentPerson } from '@/lib/accounts/session'
import { freshConnections } from '@/lib/connections/queries'
import { application } from '@/lib/backend/application'
import { countOpenRequests } from '@/lib/uma/uma-invoices/requests'
import { PRIVATE_HEADERS } from '@/lib/platform/http/page-answers'
import { answerErrors } from '@/lib/platform/http/page-route'

export const dynamic = 'force-dynamic'

/** What the notice on every page asks for while it is visible. */
export async function GET(): Promise<Response> {
  return answerErrors(application(), async () => {
    const person = await currentPerson(application())
    if (person === null) return Response.json({ error: 'Signed out.' }, { status: 401, headers: PRIVATE_HEADERS })
    const [connections, requests] = await Promise.all([
      freshConnections(application(), person.username),
      countOpenRequests(application().db, person.username),
    ])
    return Response.json({ connections, requests }, { headers: PRIVATE_HEADERS })
  })
}
