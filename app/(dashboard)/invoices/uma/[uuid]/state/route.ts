import { userState } from '@/lib/web/form-handler'
import { findUmaInvoice } from '@/lib/invoices/uma-invoices'

interface Context {
  readonly params: Promise<{ readonly uuid: string }>
}

/** The page of an open UMA invoice polls this every two seconds. */
export function GET(_request: Request, { params }: Context): Promise<Response> {
  return userState(async ({ app, username }) => (await findUmaInvoice(app.db, username, (await params).uuid))?.state)
}
