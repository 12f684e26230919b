import { listOpenPayments } from '@/lib/payments/queries'
import { userState } from '@/lib/web/form-handler'
import { pendingState } from './pending-state'

export const dynamic = 'force-dynamic'

/** A page with pending payments polls this every two seconds. */
export function GET(): Promise<Response> {
  return userState(async ({ app, username }) => pendingState(await listOpenPayments(app.db, username)))
}
