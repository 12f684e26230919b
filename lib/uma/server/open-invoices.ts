import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { countOpen, MAX_OPEN_INVOICES, tooManyOpen } from '../pay-requests'

/** Maximum unpaid invoices of one user for all unsigned requests together, so that the rows of a user are bounded. */
const MAX_OPEN_UNSIGNED = 2_000

interface Count {
  readonly open: number
}

const OF_NETWORK = statement<Count>(
  'open_invoices_of_network',
  countOpen('$1', `r.protocol = 'lnurl' and coalesce(r.payer_network, '') = $2`, MAX_OPEN_INVOICES),
)
const UNSIGNED = statement<Count>('open_unsigned_invoices', countOpen('$1', `r.protocol = 'lnurl'`, MAX_OPEN_UNSIGNED))

/**
 * Limits a user's unpaid invoices for unsigned requests, separately for each client network. Clients whose network is unknown
 * share one count. @throws UmaFault 429
 */
export async function refuseTooManyUnsigned(
  db: Database,
  username: string,
  network: string | undefined,
): Promise<void> {
  const [ofNetwork] = await db.query(OF_NETWORK, [username, network ?? ''])
  if ((ofNetwork?.open ?? 0) >= MAX_OPEN_INVOICES) throw tooManyOpen()
  const [all] = await db.query(UNSIGNED, [username])
  if ((all?.open ?? 0) >= MAX_OPEN_UNSIGNED) throw tooManyOpen()
}
