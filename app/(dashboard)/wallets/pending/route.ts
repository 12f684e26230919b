import { underWayState } from './pending-state'
import { personState } from '@/lib/platform/http/page-route'
import { listOpenPayments } from '@/lib/payments/queries'

export const dynamic = 'force-dynamic'

/** What a page with payments under way asks every two seconds. */
export function GET(): Promise<Response> {
  return personState(async ({ deps, username }) => underWayState(await listOpenPayments(deps.db, username)))
}
