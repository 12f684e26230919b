import { createHash, randomBytes } from 'node:crypto'
import bolt11 from 'bolt11'
import { WalletError, type InvoiceTerms, type Transaction } from 'uma-auth-vasp'
import { first, type Database } from './database.ts'
import type { User } from './logins.ts'

export const SAT_MSATS = 1_000n
export const MIN_SATS = 1n
export const MAX_SATS = 1_000_000n
const DEFAULT_EXPIRY_SECONDS = 3_600
const NETWORK = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] }
const FEATURES = { word_length: 4, var_onion_optin: { required: true }, payment_secret: { required: true } }

/** A row of `invoices`. The preimage is a secret until the invoice is paid. */
type Stored = Omit<Transaction, 'type' | 'feesPaidMsats' | 'preimage' | 'metadata'>
export type Invoice = Stored & { expiresAtSeconds: number; preimage: string; payee: string; payer: string | null }

/** The invoice for which a condition holds. */
export function findInvoice(db: Database, where: string, ...values: unknown[]): Promise<Invoice | undefined> {
  const seconds = (column: string): string => `floor(extract(epoch from ${column}_at))::float8 as "${column}AtSeconds"`
  const columns = `payment_hash as "paymentHash", preimage, text as invoice, payee, payer, amount_msats as "amountMsats",
    description, description_hash as "descriptionHash", ${['created', 'expires', 'settled'].map(seconds).join()}`
  return first(db, `select ${columns} from invoices where ${where}`, ...values)
}

/** `quotedTo` is the id of the only user who can pay the invoice, which is a quote. */
export type Terms = Partial<Omit<InvoiceTerms, 'amountMsats'>> & { amountMsats: bigint; quotedTo?: string }

/** Stores an invoice of `payee`. @returns the payment hash. */
export async function createInvoice(db: Database, nodeKey: string, payee: User, terms: Terms): Promise<string> {
  const { amountMsats, description, descriptionHash, expirySeconds = DEFAULT_EXPIRY_SECONDS, quotedTo } = terms
  if (amountMsats < MIN_SATS * SAT_MSATS || amountMsats > MAX_SATS * SAT_MSATS)
    throw new WalletError('OTHER', `The amount has to be from ${MIN_SATS} to ${MAX_SATS} satoshis.`)
  const preimage = randomBytes(32)
  const paymentHash = createHash('sha256').update(preimage).digest('hex')
  const timestamp = Math.floor(Date.now() / 1000)
  const described = descriptionHash === undefined ? 'description' : 'purpose_commit_hash'
  const tags = [
    { tagName: 'payment_hash', data: paymentHash },
    { tagName: 'payment_secret', data: randomBytes(32).toString('hex') },
    { tagName: described, data: descriptionHash ?? description ?? '' },
    { tagName: 'expire_time', data: expirySeconds },
    { tagName: 'min_final_cltv_expiry', data: 80 },
    { tagName: 'feature_bits', data: FEATURES },
  ]
  const unsigned = bolt11.encode({ network: NETWORK, timestamp, millisatoshis: String(amountMsats), tags }, false)
  const text = bolt11.sign(unsigned, nodeKey).paymentRequest
  const row = [paymentHash, preimage.toString('hex'), text, payee.id, quotedTo, amountMsats, description]
  const insert = `insert into invoices (payment_hash, preimage, text, payee, quoted_to, amount_msats, description,
    description_hash, created_at, expires_at)
    values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9::float8), to_timestamp($9::float8 + $10::float8))`
  await first(db, insert, ...row, descriptionHash, timestamp, expirySeconds)
  return paymentHash
}

/** The payment hash in a BOLT-11 text. */
export function paymentHashOf(text: string): string {
  try {
    const hash = bolt11.decode(text).tags.find(({ tagName }) => tagName === 'payment_hash')?.data
    return typeof hash === 'string' ? hash : ''
  } catch (cause) {
    throw new WalletError('OTHER', 'This is not a Lightning invoice, or it is damaged.', { cause })
  }
}

export function toTransaction({ payee, payer, preimage, ...invoice }: Invoice, user: User): Transaction {
  const isPaid = payer !== null
  const type = payee === user.id ? 'incoming' : 'outgoing'
  return { ...invoice, type, preimage: isPaid ? preimage : null, feesPaidMsats: isPaid ? 0n : null, metadata: null }
}
