import type { Auditor } from '../audit/auditor'
import type { HouseAccounts, NodeAccounts } from '../ledger/accounts'
import type { Rates } from '../ledger/rate-snapshot'
import type { Failure, LightningNode, OutgoingPayment, TrackedPayment } from '../lightning/node'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { Log } from '../platform/log'
import type { EventPorts } from './payment-events'
import type { KeysendMetadata, Paid } from './types'

/** The dependencies for completing payments, and the worker's state. */
export interface WorkerPorts extends EventPorts {
  readonly db: Database
  readonly node: LightningNode
  readonly house: HouseAccounts
  readonly nodeAccounts: NodeAccounts
  readonly rates: Rates
  readonly log: Log
  readonly audit: Pick<Auditor, 'report' | 'state'>
  /** Payments that this process is sending, with `sending` committed. */
  readonly marked: Set<bigint>
  /** Settlements in progress, by payment. */
  readonly settling: Map<bigint, Promise<Ended | undefined>>
}

/** An outgoing payment whose hold is committed and whose outcome is not known yet. */
export interface OpenPayment {
  readonly id: bigint
  readonly username: string
  readonly connectionId: string | null
  readonly paymentHash: string
  /** Null for a keysend. */
  readonly invoice: string | null
  readonly walletCode: CurrencyCode
  /** The node account that the payment goes through: one of the node's `accounts`, or an account from earlier settings. */
  readonly account: string
  /** Public key of the node that is paid, hex. */
  readonly payee: string
  readonly amountMsats: bigint
  readonly feeLimitMsats: bigint
  /** The held amount, in ledger units: the amount and the fee limit. */
  readonly debit: bigint
  readonly rateSnapshotId: string
  readonly keysendPreimage: string | null
  readonly metadata: KeysendMetadata | null
  /** Our fee for a quote, in ledger units. It is part of the debit, which is then fixed. Null for any other payment. */
  readonly vaspFee: bigint | null
}

/** The final outcome of a payment. */
export type Ended =
  { readonly state: 'succeeded'; readonly paid: Paid } | { readonly state: 'failed'; readonly failure: Failure | null }

export function toOutgoing(payment: OpenPayment): OutgoingPayment {
  const { payee, amountMsats, feeLimitMsats, invoice, keysendPreimage: preimage, metadata } = payment
  const common = { ...toTracked(payment), payee, amountMsats, feeLimitMsats }
  if (invoice !== null) return { ...common, what: { kind: 'invoice', invoice } }
  if (preimage === null) throw new Error(`payment ${payment.id} has neither an invoice nor a preimage`)
  return { ...common, what: { kind: 'keysend', preimage, records: metadata?.tlv_records ?? [] } }
}

export function toTracked({ id: sendId, paymentHash, account }: OpenPayment): TrackedPayment {
  return { sendId, paymentHash, account }
}

/** A row of `OPEN_COLUMNS`. */
/** The columns of `OpenPayment`, of a payment `p` to another node. */
export const OPEN_COLUMNS = `p.id, p.user_id as username, p.connection_id as "connectionId", p.payment_hash as "paymentHash", p.invoice,
  (select currency_code from wallets where id = p.wallet_id) as "walletCode", p.node_key as account, p.payee_key as payee,
  p.amount_msats as "amountMsats", p.fee_limit_msats as "feeLimitMsats", p.debit, p.rate_snapshot_id as "rateSnapshotId",
  p.keysend_preimage as "keysendPreimage", p.metadata, (select vasp_fee from quotes where id = p.quote_id) as "vaspFee"`

const ENDED = statement<EndedRow>(
  'ended_payments',
  `select p.id, p.state, p.preimage, p.debit, p.rate_snapshot_id, p.failure, w.currency_code
         from payments p join wallets w on w.id = p.wallet_id
         where p.id = any($1::bigint[]) and p.state in ('succeeded', 'failed')`,
)

interface EndedRow {
  readonly id: bigint
  readonly state: 'succeeded' | 'failed'
  readonly preimage: string | null
  readonly debit: bigint
  readonly rate_snapshot_id: string
  readonly failure: Failure | null
  readonly currency_code: string
}

/** Reads, in one round trip, the outcome of each given payment that has ended. */
export async function readEnded(db: Database, ids: readonly bigint[]): Promise<Map<bigint, Ended>> {
  const rows = await db.query(ENDED, [ids])
  return new Map(rows.map((row) => [row.id, toEnded(row)]))
}

function toEnded(row: EndedRow): Ended {
  const { preimage, debit, rate_snapshot_id: rateSnapshotId, currency_code: walletCode, failure } = row
  if (row.state === 'failed') return { state: 'failed', failure }
  if (preimage === null || !isCurrencyCode(walletCode)) throw new Error(`payment ${row.id} ended without a preimage`)
  return { state: 'succeeded', paid: { preimage, debit, walletCode, rateSnapshotId } }
}
