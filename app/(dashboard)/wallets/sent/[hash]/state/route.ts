import { paymentState } from '@/lib/payments/queries'
import { userState } from '@/lib/web/form-handler'

interface Context {
  readonly params: Promise<{ readonly hash: string }>
}

/** The page of a pending payment polls this every two seconds. */
export function GET(_request: Request, { params }: Context): Promise<Response> {
  return userState(async ({ app, username }) => paymentState(app.db, username, (await params).hash))
}
