import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import { umaFault } from '../fault'
import { registrableDomain, registrableDomainSql } from '../messages/registrable-domain'

/** Maximum unpaid invoices of one user for one registrable domain, or for the unsigned requests of one client network. */
export const MAX_OPEN_INVOICES = 100
/** Maximum unpaid invoices of one user for all unsigned requests together, so that the rows of a user are bounded. */
const MAX_OPEN_UNSIGNED = 2_000

interface Count {
  readonly open: number
}

/** Invoices are valid for one hour at most (QUOTE_SECONDS), so older ones are not counted. */
const openInvoices = (condition: string, max: number): string =>
  `select count(*)::int as open from (
     select 1 from invoices i join uma_pay_requests r on r.invoice_id = i.id
     where i.user_id = $1 and i.settled_at is null and i.created_at > now() - interval '1 hour' and i.expires_at > now()
       and ${condition}
     limit ${max}
   ) counted`
const OF_DOMAIN = statement<Count>(
  'open_invoices_of_domain',
  openInvoices(`${registrableDomainSql('r.payer_address')} = $2`, MAX_OPEN_INVOICES),
)
const OF_NETWORK = statement<Count>(
  'open_invoices_of_network',
  openInvoices(`r.protocol = 'lnurl' and coalesce(r.payer_network, '') = $2`, MAX_OPEN_INVOICES),
)
const UNSIGNED = statement<Count>('open_unsigned_invoices', openInvoices(`r.protocol = 'lnurl'`, MAX_OPEN_UNSIGNED))

/**
 * Limits the unpaid invoices of a user for each registrable domain separately, so that no domain and no unsigned client
 * can prevent another VASP from paying. @throws UmaFault 429
 */
export async function refuseTooManyOpen(db: Database, username: string, domain: string): Promise<void> {
  const [row] = await db.query(OF_DOMAIN, [username, registrableDomain(domain)])
  if ((row?.open ?? 0) >= MAX_OPEN_INVOICES) throw tooManyOpen()
}

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

export function tooManyOpen(): Error {
  return umaFault('VELOCITY_LIMIT_EXCEEDED', 'This user has too many unpaid invoices. Try again later.', {
    status: 429,
    headers: { 'Retry-After': '60' },
  })
}
