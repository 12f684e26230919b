import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/** So far back among a VASP's requests and quotes, which cost it nothing, a payment is looked for. */
const LOOKED_AT = 1_000
const HAVE_PAID = statement<{ known: boolean }>(
  'uma_money_has_moved',
  `select exists (
           select 1 from (select invoice_id from uma_pay_requests where split_part(payer_address, '@', 2) = $1
                          order by invoice_id desc limit ${LOOKED_AT}) asked
           join invoices i on i.id = asked.invoice_id where i.settled_at is not null
         ) or exists (
           select 1 from (select payment_hash from quotes where split_part(receiver_address, '@', 2) = $1
                          order by id desc limit ${LOOKED_AT}) promised
           join payments p on p.payment_hash = promised.payment_hash where p.state = 'succeeded'
         ) as known`,
)

/** Whether money has moved between a VASP and ours: nobody can claim that of a name that was made up. */
export async function moneyHasMoved(db: Database, domain: string): Promise<boolean> {
  const [row] = await db.query(HAVE_PAID, [domain])
  return row?.known ?? false
}
