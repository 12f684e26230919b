import type { Statement } from '../db/database'
import type { Deps } from '../deps'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'

/** A UMA invoice as the person who made it sees it. */
export interface UmaInvoiceCard {
  readonly encoded: string
  readonly code: CurrencyCode
  /** Smallest units. */
  readonly amount: bigint
  /** The one address that may pay it; null: anybody. */
  readonly sender: string | null
  readonly memo: string | null
  readonly expiresAt: Date
  /** By the database's clock. */
  readonly expired: boolean
  readonly paid: number
  readonly maxPayments: number
}

const FIND: Statement = {
  name: 'find_uma_invoice',
  text: `select u.encoded, w.currency_code, u.amount, u.sender_address, u.memo, u.expires_at, u.expires_at <= now() as expired,
                u.max_payments,
                (select count(*)::integer from uma_pay_requests r join invoices i on i.id = r.invoice_id
                 where r.uma_invoice_id = u.id and i.settled_at is not null) as paid
         from uma_invoices u join wallets w on w.id = u.wallet_id where u.uuid = $1::uuid and u.user_id = $2`,
}

interface Row {
  readonly encoded: string
  readonly currency_code: string
  readonly amount: bigint
  readonly sender_address: string | null
  readonly memo: string | null
  readonly expires_at: Date
  readonly expired: boolean
  readonly max_payments: number
  readonly paid: number
}

/** The person's own UMA invoice; null for a stranger's and for what is no name of one. */
export async function findUmaInvoice(
  { db }: Pick<Deps, 'db'>,
  username: string,
  uuid: string,
): Promise<UmaInvoiceCard | null> {
  if (!/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid)) return null
  const [row] = await db.query<Row>(FIND, [uuid, username])
  if (row === undefined || !isCurrencyCode(row.currency_code)) return null
  const { encoded, currency_code: code, amount, memo, expired, paid } = row
  return {
    encoded,
    code,
    amount,
    memo,
    expired,
    paid,
    sender: row.sender_address,
    expiresAt: row.expires_at,
    maxPayments: row.max_payments,
  }
}
