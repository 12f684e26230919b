import { sessionOfRequest } from '@/lib/auth/session'
import { deps } from '@/lib/deps'
import { answerErrors } from '@/lib/http/page-route'
import { plainText, PRIVATE_HEADERS } from '@/lib/http/page-answers'
import { findInvoice } from '@/lib/invoices/queries'

interface Context {
  readonly params: Promise<{ readonly hash: string }>
}

/** What a page that waits for money asks every two seconds. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const current = deps()
  return answerErrors(current, async () => {
    const session = await sessionOfRequest(current)
    if (session === null || session.suspended) return plainText(401, 'Sign in to see this.')
    const invoice = await findInvoice(current, session.username, (await params).hash)
    if (invoice === null) return plainText(404, 'There is no such invoice.')
    return Response.json({ state: invoice.state }, { headers: PRIVATE_HEADERS })
  })
}
