import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
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

interface Row {
  readonly payment_hash: string
  readonly invoice: string | null
  readonly amount_msats: bigint | null
  readonly currency_code: string
  readonly description: string | null
  readonly state: InvoiceState
  readonly created_at: Date
  readonly expires_at: Date | null
  readonly settled_at: Date | null
  readonly from_other_node: boolean
  readonly payer_address: string | null
  readonly node_key: string | null
  readonly metadata: KeysendMetadata | null
  readonly credited: bigint | null
  readonly callback_given_up: boolean
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

const CARD = `select i.payment_hash, i.invoice, coalesce(i.amount_msats, i.received_msats) as amount_msats, w.currency_code, coalesce(i.description, asked.comment) as description,
       asked.payer_address,
       case when ${WHERE.paid} then 'paid' when ${WHERE.expired} then 'expired' else 'open' end as state,
       i.created_at, i.expires_at, i.settled_at, r.id is not null as from_other_node, r.node_key, i.metadata, i.credited,
       exists (select from uma_callbacks u where u.payment_hash = i.payment_hash and u.user_id = i.user_id and u.next_try_at is null offset 0) as callback_given_up,
       case when i.settled_at is not null then i.preimage end as preimage
  from invoices i join wallets w on w.id = i.wallet_id
  left join lateral (select id, node_key from incoming_payments where invoice_id = i.id offset 0) r on true
  left join lateral (select comment, payer_address, uma_invoice_id from uma_pay_requests where invoice_id = i.id offset 0) asked on true`

/**
 * An invoice that a payer requested through the user's address is listed only when it is paid. It is recognized by its fixed
 * credit, which no other invoice has; `invoices_own_open_idx` excludes it.
 */
function listOf(state: InvoiceState): Statement<Row> {
  // A paid invoice of a single-payment UMA invoice appears in the list of UMA invoices instead.
  const own =
    state === 'paid'
      ? 'and not exists (select from uma_invoices u where u.id = asked.uma_invoice_id and u.max_payments = 1 offset 0)'
      : 'and i.fixed_credit is null'
  return statement<Row>(
    `list_invoices_${state}`,
    `${CARD} where i.user_id = $1 and ${WHERE[state]} ${own} order by i.created_at desc, i.id desc limit 100`,
  )
}
const LISTS: Readonly<Record<InvoiceState, Statement<Row>>> = {
  open: listOf('open'),
  paid: listOf('paid'),
  expired: listOf('expired'),
}

/** The user's hundred newest invoices of one state. */
export async function listInvoices(db: Database, username: string, state: InvoiceState): Promise<InvoiceCard[]> {
  return (await db.query(LISTS[state], [username])).flatMap(toCard)
}

const FIND = statement<Row>('find_invoice', `${CARD} where i.user_id = $1 and i.payment_hash = $2`)

/** The user's invoice; null for another user's invoice and for text that is not a hash. */
export async function findInvoice(db: Database, username: string, paymentHash: string): Promise<InvoiceCard | null> {
  if (!/^[0-9a-f]{64}$/.test(paymentHash)) return null
  const [card] = (await db.query(FIND, [username, paymentHash])).flatMap(toCard)
  return card ?? null
}

function toCard(row: Row): InvoiceCard[] {
  if (!isCurrencyCode(row.currency_code)) return []
  return [
    {
      paymentHash: row.payment_hash,
      invoice: row.invoice,
      amountMsats: row.amount_msats,
      currencyCode: row.currency_code,
      description: row.description,
      state: row.state,
      createdAt: row.created_at,
      expiresAt: row.expires_at,
      settledAt: row.settled_at,
      paidFrom: row.from_other_node ? { node: row.node_key } : null,
      payerAddress: row.payer_address,
      metadata: row.metadata,
      credited: row.credited,
      isCallbackGivenUp: row.callback_given_up,
      preimage: row.preimage,
    },
  ]
}
