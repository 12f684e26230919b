import { createHash, randomBytes } from 'node:crypto'
import bolt11 from 'bolt11'
import { WalletError, type InvoiceTerms, type Transaction } from 'uma-auth-vasp'
import type { Database } from './database.ts'
import type { User } from './logins.ts'

export const SAT_MSATS = 1_000n
export const MIN_SATS = 1n
export const MAX_SATS = 1_000_000n
const DEFAULT_EXPIRY_SECONDS = 3_600
const REGTEST = { bech32: 'bcrt', pubKeyHash: 0x6f, scriptHash: 0xc4, validWitnessVersions: [0, 1] }

/** A row of `invoices`. */
export interface Invoice {
  readonly payment_hash: string
  readonly preimage: string
  readonly text: string
  readonly payee: string
  readonly quoted_to: string | null
  readonly amount_msats: bigint
  readonly description: string | null
  readonly description_hash: string | null
  readonly created_at: Date
  readonly expires_at: Date
  readonly payer: string | null
  readonly settled_at: Date | null
}

/** Stores an invoice of `payee`, or a quote when it has `quotedTo`. @returns its payment hash. */
export async function createInvoice(
  db: Database,
  nodeKey: string,
  payee: User,
  terms: Pick<InvoiceTerms, 'amountMsats'> & Partial<InvoiceTerms> & { readonly quotedTo?: string },
): Promise<string> {
  const { amountMsats, description = '', descriptionHash, expirySeconds = DEFAULT_EXPIRY_SECONDS, quotedTo } = terms
  if (amountMsats < MIN_SATS * SAT_MSATS || amountMsats > MAX_SATS * SAT_MSATS)
    throw new WalletError('OTHER', `The amount has to be from ${MIN_SATS} to ${MAX_SATS} satoshis.`)
  const preimage = randomBytes(32)
  const hash = createHash('sha256').update(preimage).digest('hex')
  const timestamp = Math.floor(Date.now() / 1000)
  const tags = [
    { tagName: 'payment_hash', data: hash },
    { tagName: 'payment_secret', data: randomBytes(32).toString('hex') },
    descriptionHash === undefined
      ? { tagName: 'description', data: description }
      : { tagName: 'purpose_commit_hash', data: descriptionHash },
    { tagName: 'expire_time', data: expirySeconds },
    { tagName: 'min_final_cltv_expiry', data: 80 },
    {
      tagName: 'feature_bits',
      data: { word_length: 4, var_onion_optin: { required: true }, payment_secret: { required: true } },
    },
  ]
  const unsigned = bolt11.encode({ network: REGTEST, timestamp, millisatoshis: String(amountMsats), tags }, false)
  const { paymentRequest } = bolt11.sign(unsigned, nodeKey)
  await db.query(
    `insert into invoices (payment_hash, preimage, text, payee, quoted_to, amount_msats, description, description_hash,
       created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9), to_timestamp($10))`,
    [
      ...[hash, preimage.toString('hex'), paymentRequest, payee.id, quotedTo, amountMsats],
      ...[terms.description, descriptionHash, timestamp, timestamp + expirySeconds],
    ],
  )
  return hash
}

/** The user's own invoice or payment. Other users know the hash too. */
export async function findInvoice(db: Database, user: User, hash: string): Promise<Invoice | undefined> {
  const { rows } = await db.query<Invoice>('select * from invoices where payment_hash = $1 and $2 in (payee, payer)', [
    hash,
    user.id,
  ])
  return rows[0]
}

/** The payment hash in a BOLT-11 text. Nothing else of this text is used: the payer writes it. */
export function paymentHashOf(text: string): string {
  try {
    const hash = bolt11.decode(text).tags.find(({ tagName }) => tagName === 'payment_hash')?.data
    return typeof hash === 'string' ? hash : ''
  } catch (cause) {
    throw new WalletError('OTHER', 'This is not a Lightning invoice, or it is damaged.', { cause })
  }
}

export const secondsOf = (date: Date): number => Math.floor(date.getTime() / 1000)

export function toTransaction(invoice: Invoice, user: Pick<User, 'id'>): Transaction {
  const { settled_at: settledAt } = invoice
  return {
    type: invoice.payee === user.id ? 'incoming' : 'outgoing',
    paymentHash: invoice.payment_hash,
    amountMsats: invoice.amount_msats,
    feesPaidMsats: settledAt === null ? null : 0n,
    invoice: invoice.text,
    description: invoice.description,
    descriptionHash: invoice.description_hash,
    // Whoever knows the preimage has paid.
    preimage: settledAt === null ? null : invoice.preimage,
    createdAtSeconds: secondsOf(invoice.created_at),
    expiresAtSeconds: secondsOf(invoice.expires_at),
    settledAtSeconds: settledAt === null ? null : secondsOf(settledAt),
    metadata: null,
  }
}
