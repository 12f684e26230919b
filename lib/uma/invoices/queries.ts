import type { InvoiceState } from '../../invoices/queries'
import { isCurrencyCode, type CurrencyCode } from '../../money/currencies'
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

const CARD = `select u.uuid::text as uuid, u.encoded, w.currency_code, u.amount, u.sender_address, u.expires_at, paid.at as paid_at, paid.payer,
                     case when paid.times >= u.max_payments or paid.times > 0 and u.expires_at <= now() then 'paid'
                          when u.expires_at <= now() then 'expired' else 'open' end as state
              from uma_invoices u join wallets w on w.id = u.wallet_id
              cross join lateral (select count(*) as times, max(i.settled_at) as at,
                       (array_agg(r.payer_address order by i.settled_at desc))[1] as payer
                from uma_pay_requests r join invoices i on i.id = r.invoice_id
                where r.uma_invoice_id = u.id and i.settled_at is not null) paid`
const SHOW = statement<Row>('show_uma_invoice', `${CARD} where u.uuid = $1::uuid and u.user_id = $2`)
/** The limit applies before the state is computed, because no index covers the state. */
const LIST = statement<Row>(
  'list_uma_invoices',
  `${CARD} where u.id in (select id from uma_invoices where user_id = $1 order by id desc limit 100) order by u.id desc`,
)

interface Row {
  readonly uuid: string
  readonly encoded: string
  readonly currency_code: string
  readonly amount: bigint
  readonly sender_address: string | null
  readonly state: InvoiceState
  readonly expires_at: Date
  readonly paid_at: Date | null
  readonly payer: string | null
}

/** The user's UMA invoice; null for another user's invoice and for text that is not a UUID. */
export async function findUmaInvoice(db: Database, username: string, uuid: string): Promise<UmaInvoiceCard | null> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return null
  const [card] = (await db.query(SHOW, [uuid, username])).flatMap(toCard)
  return card ?? null
}

/** The invoices of one state among the user's hundred newest UMA invoices, the newest first. */
export async function listUmaInvoices(db: Database, username: string, state: InvoiceState): Promise<UmaInvoiceCard[]> {
  return (await db.query(LIST, [username])).flatMap(toCard).filter((card) => card.state === state)
}

function toCard(row: Row): UmaInvoiceCard[] {
  if (!isCurrencyCode(row.currency_code)) return []
  const { uuid, encoded, currency_code: code, amount, state, payer, sender_address: sender } = row
  return [{ uuid, encoded, code, amount, state, sender, payer, expiresAt: row.expires_at, paidAt: row.paid_at }]
}
