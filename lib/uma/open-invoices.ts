import type { Database } from '../platform/db/database'
import { statement, type Statement } from '../platform/db/statement'
import { moneyHasMoved } from './dealings'
import { umaFault } from './fault'
import { siteOfAddress } from './sites'

/**
 * Unpaid invoices that may be made for one person at a time: for the VASPs below one site together, for one VASP with which
 * money has moved, or for one client without a signature.
 */
const MOST_OPEN = 100
/** All clients without a signature together: each holds its own share only, and the rows of a person are bounded. */
const MOST_UNSIGNED = 2_000

/** An invoice lives for an hour at most (QUOTE_SECONDS), so older ones need not be looked at. */
const open = (which: string, most: number): string =>
  `select count(*)::int as open from (
     select 1 from invoices i join uma_pay_requests r on r.invoice_id = i.id
     where i.user_id = $1 and i.settled_at is null and i.created_at > now() - interval '1 hour' and i.expires_at > now() and ${which}
     limit ${most}
   ) counted`
/** Of the person $1, for all VASPs below the site $2. */
export const OPEN_INVOICES = open(`${siteOfAddress('r.payer_address')} = $2`, MOST_OPEN)
/** What it counts. */
export interface Open {
  readonly open: number
}
const COUNT_OF_DOMAIN = statement<Open>(
  'open_invoices_of_domain',
  open(`split_part(r.payer_address, '@', 2) = $2`, MOST_OPEN),
)
const COUNT_UNSIGNED = statement<Open>(
  'open_unsigned_invoices',
  open(`r.protocol = 'lnurl' and coalesce(r.payer_network, '') = $2`, MOST_OPEN),
)
const COUNT_ALL_UNSIGNED = statement<Open>('open_unsigned_invoices_of_all', open(`r.protocol = 'lnurl'`, MOST_UNSIGNED))

/**
 * Refuses one more invoice where too many wait to be paid. Counted for each site by itself, so that neither another nor
 * anybody without a signature can keep a VASP from paying. @throws UmaFault 429
 */
export async function refuseTooManyOpen(
  db: Database,
  { username, domain, openOfSite }: { readonly username: string; readonly domain: string; readonly openOfSite: number },
): Promise<void> {
  await refuseBeyondShare(db, domain, openOfSite, () => count(db, COUNT_OF_DOMAIN, [username, domain]))
}

/**
 * All VASPs below one site have a share together. One with which money has moved has its own alone: who else has a name below
 * its site does not matter to it. @throws UmaFault 429
 */
export async function refuseBeyondShare(
  db: Database,
  domain: string,
  ofSite: number,
  ofDomain: () => number | Promise<number>,
): Promise<void> {
  if (ofSite < MOST_OPEN) return
  if (!(await moneyHasMoved(db, domain)) || (await ofDomain()) >= MOST_OPEN) throw tooMany()
}

/**
 * The same for requests that nobody signed, counted by the network that they come from; those whose network is not known
 * share one count. @throws UmaFault 429
 */
export async function refuseTooManyUnsigned(
  db: Database,
  username: string,
  network: string | undefined,
): Promise<void> {
  if ((await count(db, COUNT_UNSIGNED, [username, network ?? ''])) >= MOST_OPEN) throw tooMany()
  if ((await count(db, COUNT_ALL_UNSIGNED, [username])) >= MOST_UNSIGNED) throw tooMany()
}

async function count(db: Database, counting: Statement<Open>, params: readonly string[]): Promise<number> {
  const [row] = await db.query(counting, params)
  return row?.open ?? 0
}

function tooMany(): Error {
  return umaFault('VELOCITY_LIMIT_EXCEEDED', 'Too many invoices for this person wait to be paid. Try again later.', {
    status: 429,
    headers: { 'Retry-After': '60' },
  })
}
