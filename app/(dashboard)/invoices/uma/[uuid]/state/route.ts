import { application } from '@/lib/backend/application'
import { plainText } from '@/lib/platform/http/responses'
import { userState } from '@/lib/web/form-handler'

interface Context {
  readonly params: Promise<{ readonly uuid: string }>
}

/** The page of an open UMA invoice polls this every two seconds. */
export async function GET(_request: Request, { params }: Context): Promise<Response> {
  const { umaInvoices } = application()
  if (umaInvoices === undefined) return plainText(404, 'Not found.')
  const { uuid } = await params
  return userState(async ({ app, username }) => (await umaInvoices.findUmaInvoice(app.db, username, uuid))?.state)
}
