import bolt11 from 'bolt11'
import { ALL_BITCOIN_MSATS } from '../money/limits'
import { withoutOddFields } from './invoice-fields'
import { invoicePrefixOf, NETWORKS } from './networks'
import type { Network } from './node'

/** Node software requires at least 18 blocks. */
const MIN_FINAL_CLTV_EXPIRY = 80
const DEFAULT_EXPIRY_SECONDS = 3_600
const MAX_INVOICE_LENGTH = 2_000
/**
 * `word_length` counts 5-bit words. A payer must support variable-length onions and the payment secret, and nothing else. One bit
 * of each pair is set, never both (BOLT 9).
 */
const FEATURES = {
  word_length: 4,
  var_onion_optin: { required: true, supported: false },
  payment_secret: { required: true, supported: false },
  basic_mpp: { required: false, supported: true },
}

export interface NewInvoice {
  readonly nodeSecretHex: string
  readonly network: Network
  readonly paymentHash: string
  readonly paymentSecretHex: string
  /** Undefined: the payer chooses. */
  readonly amountMsats: bigint | undefined
  /** Either this or `descriptionHash`; an empty description counts. */
  readonly description: string | undefined
  readonly descriptionHash: string | undefined
  readonly createdAtSeconds: number
  readonly expirySeconds: number
}

/**
 * Creates and signs an invoice (BOLT 11), in lower case.
 * @throws Error for a description of more than 639 bytes.
 */
export function encodeInvoice(invoice: NewInvoice): string {
  const purpose =
    invoice.descriptionHash === undefined
      ? { tagName: 'description', data: invoice.description ?? '' }
      : { tagName: 'purpose_commit_hash', data: invoice.descriptionHash }
  const unsigned = bolt11.encode(
    {
      network: NETWORKS[invoice.network],
      timestamp: invoice.createdAtSeconds,
      ...(invoice.amountMsats === undefined ? {} : { millisatoshis: String(invoice.amountMsats) }),
      tags: [
        { tagName: 'payment_hash', data: invoice.paymentHash },
        { tagName: 'payment_secret', data: invoice.paymentSecretHex },
        purpose,
        { tagName: 'expire_time', data: invoice.expirySeconds },
        { tagName: 'min_final_cltv_expiry', data: MIN_FINAL_CLTV_EXPIRY },
        { tagName: 'feature_bits', data: FEATURES },
      ],
    },
    false,
  )
  const { paymentRequest } = bolt11.sign(unsigned, invoice.nodeSecretHex)
  if (paymentRequest === undefined) throw new Error('the invoice was not signed')
  return paymentRequest
}

export interface DecodedInvoice {
  /** In lower case and without `lightning:`, as it is compared and stored. */
  readonly invoice: string
  readonly paymentHash: string
  /** Compressed key of the node that signed the invoice, hex, recovered from the signature. */
  readonly payee: string
  readonly amountMsats: bigint | undefined
  readonly description: string | undefined
  readonly descriptionHash: string | undefined
  readonly createdAtSeconds: number
  readonly expiresAtSeconds: number
}

export type Decoding =
  { readonly ok: true; readonly invoice: DecodedInvoice } | { readonly ok: false; readonly reason: string }

export const NOT_AN_INVOICE = no('This is not a Lightning invoice.')
const OFFER = no(
  'This is a BOLT 12 code, not a BOLT 11 invoice. This VASP does not support BOLT 12. Ask the receiver for an invoice or an address.',
)
const LNURL = no(
  'This is an LNURL, not an invoice. Pay the receiver’s address (name@domain) instead, or ask the receiver for an invoice.',
)
const BAD_AMOUNT = no('The amount of this invoice is not valid. Ask the receiver for a new invoice.')
const AMOUNT_OUT_OF_RANGE = no('The amount of this invoice is out of range.')
const EXPIRY_OUT_OF_RANGE = no('The expiry of this invoice is out of range.')
const DAMAGED = no('This invoice is damaged: its checksum or signature is wrong. Copy it again.')
const LAST_SECOND = 253_402_300_799

/** The text without blanks around it and without `lightning:`. */
export function withoutScheme(text: string): string {
  return text.trim().replace(/^lightning:/i, '')
}

/**
 * Reads an invoice and checks its checksum, signature, network, payment secret and required features. Accepts upper case
 * and `lightning:`. Does not check the expiry, because the database's clock decides. Never throws.
 */
export function decodeInvoice(text: string, network: Network): Decoding {
  const invoice = withoutScheme(text)
  if (!/^[\x21-\x7e]+$/.test(invoice)) return NOT_AN_INVOICE
  const lower = invoice.toLowerCase()
  // Offers, invoice requests and invoices of BOLT 12.
  if (/^ln[ori]1[02-9ac-hj-np-z+]/.test(lower)) return OFFER
  if (/^lnurl1[02-9ac-hj-np-z]/.test(lower) || lower.startsWith('lnurlp:')) return LNURL
  const separator = lower.lastIndexOf('1')
  const [, prefix, amount] = /^(ln[a-z]+)([^a-z].*)?$/.exec(lower.slice(0, Math.max(separator, 0))) ?? []
  if (prefix === undefined) return NOT_AN_INVOICE
  if (invoice.length > MAX_INVOICE_LENGTH)
    return no(`This invoice is too long: this VASP reads at most ${MAX_INVOICE_LENGTH} characters.`)
  if (invoice !== lower && invoice !== invoice.toUpperCase()) return no('This invoice mixes upper and lower case.')
  if (prefix !== invoicePrefixOf(network))
    return no(`This invoice is for another network. This VASP pays ${network} invoices (${invoicePrefixOf(network)}…).`)
  try {
    const { text: readable, signer, expirySeconds } = withoutOddFields(lower)
    if (amount !== undefined && !isAmount(amount)) return BAD_AMOUNT
    if (expirySeconds !== undefined && expirySeconds > BigInt(LAST_SECOND)) return EXPIRY_OUT_OF_RANGE
    const raw = bolt11.decode(readable, NETWORKS[network])
    return read(lower, signer === undefined ? raw : { ...raw, payeeNodeKey: signer })
  } catch {
    return DAMAGED
  }
}

/** Whether an amount is a positive number of whole millisatoshis: ten pico-bitcoin are one millisatoshi. */
function isAmount(text: string): boolean {
  const [, digits, unit] = /^(\d+)([munp])?$/.exec(text) ?? []
  return digits !== undefined && !/^0*$/.test(digits) && (unit !== 'p' || digits.endsWith('0'))
}

interface Raw {
  readonly payeeNodeKey?: string | undefined
  readonly millisatoshis?: string | null | undefined
  readonly timestamp?: number | undefined
  readonly tags: readonly { readonly tagName: string; readonly data: unknown }[]
}

function read(invoice: string, raw: Raw): Decoding {
  const tags = (name: string): unknown[] => raw.tags.filter((each) => each.tagName === name).map(({ data }) => data)
  // Fields of the wrong length are skipped, not read (BOLT 11, Tagged Fields).
  const hash = (name: string): string | undefined => tags(name).find(isHash)
  const paymentHash = hash('payment_hash')
  if (paymentHash === undefined) return no('This invoice has no payment hash.')
  if (hash('payment_secret') === undefined) return no('This invoice has no payment secret.')
  if (tags('feature_bits').some(hasUnknownRequirement))
    return no('This invoice requires a feature that this VASP does not support.')
  const amountMsats = raw.millisatoshis == null ? undefined : BigInt(raw.millisatoshis)
  if (amountMsats !== undefined && (amountMsats < 1n || amountMsats > ALL_BITCOIN_MSATS)) return AMOUNT_OUT_OF_RANGE
  const createdAtSeconds = raw.timestamp
  if (createdAtSeconds === undefined || raw.payeeNodeKey === undefined) return DAMAGED
  const [expiry = DEFAULT_EXPIRY_SECONDS] = tags('expire_time')
  const expiresAtSeconds = createdAtSeconds + Number(expiry)
  if (!Number.isSafeInteger(expiresAtSeconds) || expiresAtSeconds > LAST_SECOND) return EXPIRY_OUT_OF_RANGE
  const [description] = tags('description')
  return {
    ok: true,
    invoice: {
      invoice,
      paymentHash,
      payee: raw.payeeNodeKey,
      amountMsats,
      // PostgreSQL cannot store a NUL, so each NUL is replaced, as bytes that are not UTF-8 are.
      description: typeof description === 'string' ? description.replaceAll('\0', '\uFFFD') : undefined,
      descriptionHash: hash('purpose_commit_hash'),
      createdAtSeconds,
      expiresAtSeconds,
    },
  }
}

/** The payer's node passes the invoice's metadata on (BOLT 11, field `m`), as LND does. Peers of a simulated node get the invoice. */
const PAYMENT_METADATA = 48

/**
 * Even bits must be understood (BOLT 9); this reader understands three and `PAYMENT_METADATA`. The library lists more, which have no
 * meaning in an invoice.
 */
function hasUnknownRequirement(features: unknown): boolean {
  const { extra_bits: extra, ...named } = features as Features
  const unknown = Object.entries(named).some(
    ([name, bit]) => typeof bit === 'object' && bit.required === true && !(name in FEATURES),
  )
  const { start_bit: first = 0, bits = [] } = extra ?? {}
  return (
    unknown || bits.some((isSet, index) => isSet && (first + index) % 2 === 0 && first + index !== PAYMENT_METADATA)
  )
}

interface Features {
  readonly extra_bits?: FeatureBits
  readonly [name: string]: FeatureBits | number | undefined
}

/** `required` is set for a feature with a name, the other two for all bits without one. */
interface FeatureBits {
  readonly required?: boolean
  readonly start_bit?: number
  readonly bits?: readonly boolean[]
}

function isHash(value: unknown): value is string {
  return typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)
}

function no(reason: string): Decoding {
  return { ok: false, reason }
}
