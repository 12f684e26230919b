import { personState } from '@/lib/platform/http/page-route'
import { findInvoice } from '@/lib/invoices/queries'

interface Context {
  readonly params: Promise<{ readonly hash: string }>
}

/** What a page that waits for money asks every two seconds. */
export function GET(_request: Request, { params }: Context): Promise<Response> {
  return personState(async ({ deps, username }) => (await findInvoice(deps.db, username, (await params).hash))?.state)
}
