import { currentPerson } from '@/lib/auth/session'
import { freshConnections } from '@/lib/connections/queries'
import { deps } from '@/lib/deps'
import { PRIVATE_HEADERS } from '@/lib/http/page-answers'
import { answerErrors } from '@/lib/http/page-route'

export const dynamic = 'force-dynamic'

/** What the notice on every page asks for while it is visible. */
export async function GET(): Promise<Response> {
  return answerErrors(deps(), async () => {
    const person = await currentPerson()
    if (person === null) return Response.json({ error: 'Signed out.' }, { status: 401, headers: PRIVATE_HEADERS })
    return Response.json({ connections: await freshConnections(deps(), person.username) }, { headers: PRIVATE_HEADERS })
  })
}
