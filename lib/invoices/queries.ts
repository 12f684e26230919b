import type { CurrencyCode } from '../money/currencies'
import type { KeysendMetadata } from '../payments/types'
import type { Database } from '../platform/db/database'
import { statement, type Statement } from '../platform/db/statement'

export type InvoiceState = 'open' | 'paid' | 'expired'

/** An invoice as its owner sees it. */
export interface InvoiceCard {
  readonly paymentHash: string
  /** The BOLT-11 text; null for a keysend, which has none and arrives paid. */
  readonly invoice: string | null
  /** Null when the payer chooses the amount. */
  readonly amountMsats: bigint | null
  /** Currency of the wallet that is credited. */
  readonly currencyCode: CurrencyCode
  readonly description: string | null
  readonly state: InvoiceState
  readonly createdAt: Date
  /** Null for a keysend. */
  readonly expiresAt: Date | null
  readonly settledAt: Date | null
  /** The paying node's public key, if this VASP's node reports it. Null when unpaid or paid by a user of this VASP. */
  readonly paidFrom: { readonly node: string | null } | null
  /** For a payment to the user's address: the address stated by the payer. */
  readonly payerAddress: string | null
  /** The destination and records of a keysend. */
  readonly metadata: KeysendMetadata | null
  /** The credit to the wallet, in its ledger units; null until paid, and when a wallet paid itself. */
  readonly credited: bigint | null
  /** Whether the payer's VASP accepted no callback about the settlement, and gets no other. */
  readonly isCallbackGivenUp: boolean
  /** Null until paid: the preimage proves the payment, and it could settle an open invoice. */
  readonly preimage: string | null
}

/**
 * Expiry follows the database's clock, as it does when an invoice is paid. Paid invoices have one index; open and expired ones
 * share another.
 */
const WHERE: Readonly<Record<InvoiceState, string>> = {
  paid: 'i.settled_at is not null',
  expired: 'i.settled_at is null and i.expires_at <= now()',
  open: 'i.settled_at is null and i.expires_at > now()',
}

const CARD = `select i.payment_hash as "paymentHash", i.invoice, coalesce(i.amount_msats, i.received_msats) as "amountMsats", w.currency_code as "currencyCode",
       coalesce(i.description, asked.comment) as description, asked.payer_address as "payerAddress",
       case when ${WHERE.paid} then 'paid' when ${WHERE.expired} then 'expired' else 'open' end as state,
       i.created_at as "createdAt", i.expires_at as "expiresAt", i.settled_at as "settledAt",
       case when r.id is not null then json_build_object('node', r.node_key) end as "paidFrom", i.metadata, i.credited,
       exists (select from uma_callbacks u where u.payment_hash = i.payment_hash and u.user_id = i.user_id and u.next_try_at is null offset 0) as "isCallbackGivenUp",
       case when i.settled_at is not null then i.preimage end as preimage
  from invoices i join wallets w on w.id = i.wallet_id
  left join lateral (select id, node_key from incoming_payments where invoice_id = i.id offset 0) r on true
  left join lateral (select comment, payer_address, uma_invoice_id from uma_pay_requests where invoice_id = i.id offset 0) asked on true`

/**
 * An invoice that a payer requested through the user's address is listed only when it is paid. It is recognized by its fixed
 * credit, which no other invoice has; `invoices_own_open_idx` excludes it.
 */
function listOf(state: InvoiceState): Statement<InvoiceCard> {
  // A paid invoice of a single-payment UMA invoice appears in the list of UMA invoices instead.
  const own =
    state === 'paid'
      ? 'and not exists (select from uma_invoices u where u.id = asked.uma_invoice_id and u.max_payments = 1 offset 0)'
      : 'and i.fixed_credit is null'
  return statement<InvoiceCard>(
    `list_invoices_${state}`,
    `${CARD} where i.user_id = $1 and ${WHERE[state]} ${own} order by i.created_at desc, i.id desc limit 100`,
  )
}
const LISTS: Readonly<Record<InvoiceState, Statement<InvoiceCard>>> = {
  open: listOf('open'),
  paid: listOf('paid'),
  expired: listOf('expired'),
}

/** The user's hundred newest invoices of one state. */
export async function listInvoices(db: Database, username: string, state: InvoiceState): Promise<InvoiceCard[]> {
  return db.query(LISTS[state], [username])
}

const FIND = statement<InvoiceCard>('find_invoice', `${CARD} where i.user_id = $1 and i.payment_hash = $2`)

/** The user's invoice; null for another user's invoice and for text that is not a hash. */
export async function findInvoice(db: Database, username: string, paymentHash: string): Promise<InvoiceCard | null> {
  if (!/^[0-9a-f]{64}$/.test(paymentHash)) return null
  const [card] = await db.query(FIND, [username, paymentHash])
  return card ?? null
}
