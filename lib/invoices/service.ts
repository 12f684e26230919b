import { randomBytes } from 'node:crypto'
import type { EventRecorder } from '../events/recorder'
import type { WalletAccount } from '../ledger/accounts'
import type { Rates } from '../ledger/rate-snapshot'
import type { LightningNode } from '../lightning/node'
import type { RateTable } from '../money/currencies'
import { inSats } from '../money/format'
import { msatsInLedgerUnits } from '../money/ledger-units'
import { MAX_PAYMENT_MSATS } from '../money/limits'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { badInput } from '../platform/errors'
import { namePayment } from '../platform/trace'

interface InvoicePorts {
  readonly db: Database
  readonly events: Pick<EventRecorder, 'record'>
  readonly node: Pick<LightningNode, 'signInvoice'>
  readonly rates: Pick<Rates, 'current'>
}

export const DEFAULT_EXPIRY_SECONDS = 3_600

export interface CreatedInvoice {
  readonly id: bigint
  readonly paymentHash: string
  readonly invoice: string
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number
}

const INSERT = statement<{ id: bigint }>(
  'insert_invoice',
  `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, description_hash, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6::bigint, $7, $8, to_timestamp($9::bigint), to_timestamp($10::bigint))
         returning id`,
)

export interface InvoiceTerms {
  readonly wallet: Pick<WalletAccount, 'walletId' | 'code'>
  readonly amountMsats: bigint | undefined
  readonly description?: string | undefined
  readonly descriptionHash?: string | undefined
  readonly expirySeconds?: number | undefined
  readonly rates: RateTable
}

/** A signed invoice that is not stored yet, with its preimage. */
export interface UnsavedInvoice extends Omit<CreatedInvoice, 'id'> {
  readonly preimageHex: string
}

/**
 * Signs an invoice with a new preimage.
 * @throws VaspError 400 when the amount is over the limit, or so small that the wallet would get less than one unit.
 */
export async function buildInvoice({ node }: Pick<InvoicePorts, 'node'>, terms: InvoiceTerms): Promise<UnsavedInvoice> {
  const { wallet, amountMsats, description, descriptionHash, expirySeconds = DEFAULT_EXPIRY_SECONDS } = terms
  refuseBadAmount(amountMsats, wallet, terms.rates)
  const preimageHex = randomBytes(32).toString('hex')
  const purpose = descriptionHash === undefined ? { description: description ?? '' } : { descriptionHash }
  const signed = await node.signInvoice({ preimageHex, amountMsats, expirySeconds, purpose })
  namePayment({ paymentHash: signed.paymentHash })
  return { ...signed, preimageHex }
}

export interface InvoiceRequest extends Omit<InvoiceTerms, 'rates'> {
  readonly username: string
  /** The rates at which the amount was computed; without them, the current rates. */
  readonly rates?: RateTable
}

/** Creates an invoice for a user, as `createInvoice` does. */
export type CreateInvoice = (request: InvoiceRequest) => Promise<CreatedInvoice>

/**
 * Creates an invoice that credits the wallet with the amount's value at the time of payment.
 * @throws VaspError as `buildInvoice` does.
 */
export async function createInvoice(ports: InvoicePorts, request: InvoiceRequest): Promise<CreatedInvoice> {
  const { username, wallet, amountMsats, description, descriptionHash } = request
  const { rates = ports.rates.current().rateOf } = request
  const { preimageHex, ...unsaved } = await buildInvoice(ports, { ...request, rates })
  const [row] = await ports.db.query(INSERT, [
    unsaved.paymentHash,
    preimageHex,
    unsaved.invoice,
    username,
    wallet.walletId,
    amountMsats ?? null,
    description ?? null,
    descriptionHash ?? null,
    unsaved.createdAtSeconds,
    unsaved.expiresAtSeconds,
  ])
  if (row === undefined) throw new Error('an invoice was not written')
  ports.events.record({
    kind: 'invoice',
    name: 'invoice created',
    userId: username,
    paymentHash: unsaved.paymentHash,
    summary: amountMsats === undefined ? 'any amount' : inSats(amountMsats),
    detail: { facts: { paymentHash: unsaved.paymentHash, amountMsats } },
  })
  return { id: row.id, ...unsaved }
}

function refuseBadAmount(amountMsats: bigint | undefined, wallet: Pick<WalletAccount, 'code'>, rates: RateTable): void {
  if (amountMsats === undefined) return
  if (amountMsats > MAX_PAYMENT_MSATS) throw badInput('The amount is above the limit for one payment.')
  if (msatsInLedgerUnits(amountMsats, wallet.code, 'down', rates) < 1n)
    throw badInput(`The amount is worth less than one unit of ${wallet.code}.`)
}
