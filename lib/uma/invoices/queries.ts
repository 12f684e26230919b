import type { InvoiceState } from '../../invoices/queries'
import type { CurrencyCode } from '../../money/currencies'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

/** A UMA invoice as its owner sees it. */
export interface UmaInvoiceCard {
  readonly uuid: string
  readonly encoded: string
  readonly code: CurrencyCode
  /** Smallest units. */
  readonly amount: bigint
  /** The only address that may pay it; null when any address may. */
  readonly sender: string | null
  /** Computed with the database's clock. An invoice for several payments is open until all are made or it expires. */
  readonly state: InvoiceState
  readonly expiresAt: Date
  /** The time of its latest payment; null when it has not been paid. */
  readonly paidAt: Date | null
  /** The address stated by the latest payer. */
  readonly payer: string | null
}

const CARD = `select u.uuid::text as uuid, u.encoded, w.currency_code as code, u.amount, u.sender_address as sender, u.expires_at as "expiresAt",
                     paid.at as "paidAt", paid.payer,
                     case when paid.times >= u.max_payments or paid.times > 0 and u.expires_at <= now() then 'paid'
                          when u.expires_at <= now() then 'expired' else 'open' end as state
              from uma_invoices u join wallets w on w.id = u.wallet_id
              cross join lateral (select count(*) as times, max(i.settled_at) as at,
                       (array_agg(r.payer_address order by i.settled_at desc))[1] as payer
                from uma_pay_requests r join invoices i on i.id = r.invoice_id
                where r.uma_invoice_id = u.id and i.settled_at is not null) paid`
const SHOW = statement<UmaInvoiceCard>('show_uma_invoice', `${CARD} where u.uuid = $1::uuid and u.user_id = $2`)
/** The limit applies before the state is computed, because no index covers the state. */
const LIST = statement<UmaInvoiceCard>(
  'list_uma_invoices',
  `${CARD} where u.id in (select id from uma_invoices where user_id = $1 order by id desc limit 100) order by u.id desc`,
)

/** The user's UMA invoice; null for another user's invoice and for text that is not a UUID. */
export async function findUmaInvoice(db: Database, username: string, uuid: string): Promise<UmaInvoiceCard | null> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return null
  const [card] = await db.query(SHOW, [uuid, username])
  return card ?? null
}

/** The invoices of one state among the user's hundred newest UMA invoices, the newest first. */
export async function listUmaInvoices(db: Database, username: string, state: InvoiceState): Promise<UmaInvoiceCard[]> {
  return (await db.query(LIST, [username])).filter((card) => card.state === state)
}
