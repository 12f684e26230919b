import type { Database, Statement } from '../db/database'
import { umaFault } from './fault'

/** Unpaid invoices that one VASP, or everybody by plain LNURL together, may have made for one person at a time. */
const MOST_OPEN = 100
/** An invoice lives for an hour at most (QUOTE_SECONDS), so older ones need not be looked at. */
const COUNT: Statement = {
  name: 'open_uma_invoices',
  text: `select count(*)::int as open from (
           select 1 from invoices i join uma_pay_requests r on r.invoice_id = i.id
           where i.user_id = $1 and i.settled_at is null and i.created_at > now() - interval '1 hour'
             and i.expires_at > now() and coalesce(split_part(r.payer_address, '@', 2), '') = $2
           limit ${MOST_OPEN}
         ) counted`,
}

/**
 * Refuses one more invoice where too many wait to be paid. Counted for each VASP by itself, so that none can keep the
 * others from paying. @throws UmaFault 429
 */
export async function refuseTooManyOpen(db: Database, username: string, payerDomain: string): Promise<void> {
  const [row] = await db.query<{ open: number }>(COUNT, [username, payerDomain])
  if ((row?.open ?? 0) >= MOST_OPEN)
    throw umaFault('VELOCITY_LIMIT_EXCEEDED', 'Too many invoices for this person wait to be paid. Try again later.', {
      status: 429,
      headers: { 'Retry-After': '60' },
    })
}
