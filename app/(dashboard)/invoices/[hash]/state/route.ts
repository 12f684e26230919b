import { findInvoice } from '@/lib/invoices/queries'
import { userState } from '@/lib/web/form-handler'

interface Context {
  readonly params: Promise<{ readonly hash: string }>
}

/** The page of an open invoice polls this every two seconds. */
export function GET(_request: Request, { params }: Context): Promise<Response> {
  return userState(async ({ app, username }) => (await findInvoice(app.db, username, (await params).hash))?.state)
}
