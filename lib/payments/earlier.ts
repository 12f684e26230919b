import type { Database, Statement } from '../db/database'
import { badInput } from '../errors'
import { isCurrencyCode } from '../money/currencies'
import type { Paid } from './bill'
import type { NamedInvoice } from './named-invoice'
import type { KeysendMetadata } from './open-payment'

/** A payment whose end is not known yet. */
export interface Underway {
  readonly paymentId: bigint
}

export function isUnderway(result: Paid | Underway): result is Underway {
  return 'paymentId' in result
}

/** What is asked for now, to be held against what was asked for before. */
export interface Asked {
  readonly username: string
  readonly paymentHash: string
  /** The request named the hash, by an invoice or a preimage: a key of another hash is another payment's. */
  readonly hashIsGiven: boolean
  /** Null for a keysend. */
  readonly invoice: string | null
  readonly amountMsats: bigint
  /** Of a keysend. */
  readonly metadata: KeysendMetadata | null
  /** The caller; null when the person pays in the dashboard. */
  readonly connectionId: string | null
  /** The `Idempotency-Key` of the request: the caller's own, so that two apps of one person may use the same. */
  readonly clientKey: string | null
}

/** What a request to pay an invoice asks for. */
export function askedForInvoice(
  { username, connectionId }: Pick<Asked, 'username' | 'connectionId'>,
  { invoice, paymentHash }: NamedInvoice,
  amountMsats: bigint,
): Asked {
  return {
    username,
    connectionId,
    paymentHash,
    hashIsGiven: true,
    invoice,
    amountMsats,
    metadata: null,
    clientKey: null,
  }
}

const EARLIER: Statement = {
  name: 'earlier_payment',
  text: `select p.id, p.payment_hash, p.user_id, p.invoice, p.amount_msats, p.metadata, p.state, p.preimage,
                p.debit, p.rate_snapshot_id, w.currency_code
         from payments p join wallets w on w.id = p.wallet_id
         where p.payment_hash = $1 and p.state <> 'failed'
            or p.user_id = $2 and p.idempotency_key = $3 and p.connection_id is not distinct from $4 and p.state <> 'failed'
         order by p.id limit 1`,
}

interface Row {
  readonly id: bigint
  readonly payment_hash: string
  readonly user_id: string
  readonly invoice: string | null
  readonly amount_msats: bigint
  readonly metadata: KeysendMetadata | null
  readonly state: 'held' | 'sending' | 'succeeded'
  readonly preimage: string | null
  readonly debit: bigint
  readonly rate_snapshot_id: string
  readonly currency_code: string
}

/**
 * The same request again is the payment that it was the first time, whether done or under way; undefined when there was
 * none, or when it failed and may be tried again.
 * @throws VaspError 400 OTHER when the hash or the key belongs to something else: another person's payment, another
 * amount, another invoice with the same hash.
 */
export async function joinEarlier(db: Database, asked: Asked): Promise<Paid | Underway | undefined> {
  const [row] = await db.query<Row>(EARLIER, [asked.paymentHash, asked.username, asked.clientKey, asked.connectionId])
  if (row === undefined) return undefined
  refuseAnother(row, asked)
  const { id, preimage, debit, rate_snapshot_id: rateSnapshotId, currency_code: walletCode } = row
  if (preimage === null) return { paymentId: id }
  if (!isCurrencyCode(walletCode)) throw new Error(`payment ${id} is in an unknown currency`)
  return { preimage, debit, walletCode, rateSnapshotId }
}

function refuseAnother(row: Row, asked: Asked): void {
  if (row.user_id !== asked.username) {
    throw badInput(
      row.state === 'succeeded'
        ? 'Somebody else has paid this invoice already.'
        : 'Somebody else is paying this invoice at this moment.',
    )
  }
  if (row.payment_hash !== asked.paymentHash && asked.hashIsGiven)
    throw badInput('This Idempotency-Key was used for another payment.')
  if (row.invoice !== asked.invoice) throw badInput('Another invoice with this payment hash was paid before.')
  if (row.amount_msats !== asked.amountMsats) throw badInput('You have paid this before, with another amount.')
  if (JSON.stringify(inOrder(row.metadata)) !== JSON.stringify(inOrder(asked.metadata)))
    throw badInput('You have made this payment before, to another place or with other records.')
}

/** The database keeps the fields of JSON in an order of its own. */
function inOrder(metadata: KeysendMetadata | null): unknown {
  return metadata && [metadata.destination, metadata.tlv_records.map(({ type, value }) => [type, value])]
}
