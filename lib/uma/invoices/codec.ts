import { bech32 } from '@scure/base'
import { signBytePayload } from '@uma-sdk/core'
import { isSignedBy } from '../../platform/secp256k1'
import { shownNames } from '../messages/receiver-message'
import type { UmaKey } from '../types'
import { readFields, readNumber, writeFields, writeNumber, type Field, type NumberEncoding } from './tlv'

/** A UMA invoice (UMAD-09): a user's request to be paid, signed by the user's VASP. */
export interface UmaInvoice {
  readonly receiver: string
  readonly uuid: string
  /** Smallest units of the currency. */
  readonly amount: bigint
  readonly currency: InvoiceCurrency
  readonly expiresAtSeconds: number
  readonly isSubjectToTravelRule: boolean
  /** The payer data that the receiver's VASP asks for: the name of each field, and whether it is mandatory. */
  readonly requiredPayerData: Readonly<Record<string, boolean>>
  readonly umaVersions: readonly string[]
  readonly commentLength: number
  /** The address that is asked to pay. Undefined: any payer may pay. */
  readonly sender: string | undefined
  readonly maxPayments: number | undefined
  readonly kycStatus: string | undefined
  /** The URL to request the Lightning invoice from. */
  readonly callback: string
}

export interface InvoiceCurrency {
  readonly code: string
  readonly name: string
  readonly symbol: string
  readonly decimals: number
}

/** A decoded invoice, and whether its signature verifies. */
export interface ReadInvoice {
  readonly invoice: UmaInvoice
  isSignedBy(publicKeyHex: string): boolean
}

const PREFIX = 'uma'
/** UMA invoices are longer than the 90 characters that BIP 173 allows. */
const NO_LIMIT = false
const MAX_TEXT_LENGTH = 2_000
const TAG = {
  receiver: 0,
  uuid: 1,
  amount: 2,
  currency: 3,
  expiration: 4,
  travelRule: 5,
  payerData: 6,
  versions: 7,
  comment: 8,
  sender: 9,
  maxPayments: 10,
  kyc: 11,
  callback: 12,
  signature: 100,
} as const
const CURRENCY_TAG = { code: 0, name: 1, symbol: 2, decimals: 3 } as const

const text = (value: string): Buffer => Buffer.from(value, 'utf8')
const number = (value: number): Buffer => writeNumber(BigInt(value))

/**
 * Writes and signs an invoice. The fields are in the order of their numbers, because other readers sort them before
 * they check the signature. @throws RangeError for a field over 255 bytes.
 */
export async function encodeUmaInvoice(invoice: UmaInvoice, key: UmaKey): Promise<string> {
  const { currency, requiredPayerData } = invoice
  const wanted = Object.entries(requiredPayerData)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, isMandatory]) => `${name}:${isMandatory ? 1 : 0}`)
  const fields: Field[] = [
    { tag: TAG.receiver, value: text(invoice.receiver) },
    { tag: TAG.uuid, value: text(invoice.uuid) },
    { tag: TAG.amount, value: writeNumber(invoice.amount) },
    { tag: TAG.currency, value: writeCurrency(currency) },
    { tag: TAG.expiration, value: number(invoice.expiresAtSeconds) },
    { tag: TAG.travelRule, value: Buffer.from([invoice.isSubjectToTravelRule ? 1 : 0]) },
    { tag: TAG.payerData, value: text(wanted.join(',')) },
    { tag: TAG.versions, value: text(invoice.umaVersions.join(',')) },
    { tag: TAG.comment, value: number(invoice.commentLength) },
    ...(invoice.sender === undefined ? [] : [{ tag: TAG.sender, value: text(invoice.sender) }]),
    ...(invoice.maxPayments === undefined ? [] : [{ tag: TAG.maxPayments, value: number(invoice.maxPayments) }]),
    ...(invoice.kycStatus === undefined ? [] : [{ tag: TAG.kyc, value: text(invoice.kycStatus) }]),
    { tag: TAG.callback, value: text(invoice.callback) },
  ]
  const unsigned = writeFields(fields)
  const signature = Buffer.from(await signBytePayload(unsigned, key.secret))
  const bytes = Buffer.concat([unsigned, writeFields([{ tag: TAG.signature, value: signature }])])
  return bech32.encode(PREFIX, bech32.toWords(bytes), NO_LIMIT)
}

function writeCurrency({ code, name, symbol, decimals }: InvoiceCurrency): Buffer {
  return writeFields([
    { tag: CURRENCY_TAG.code, value: text(code) },
    { tag: CURRENCY_TAG.name, value: text(name) },
    { tag: CURRENCY_TAG.symbol, value: text(symbol) },
    { tag: CURRENCY_TAG.decimals, value: number(decimals) },
  ])
}

/** The invoice without the prefix that may precede it. */
export function bareUmaInvoice(given: string): string {
  return given.trim().replace(/^uma:(?:\/\/)?/i, '')
}

/** Reads a complete invoice, with or without the prefix `uma:` or `uma://`. Undefined for any other text. */
export function decodeUmaInvoice(given: string): ReadInvoice | undefined {
  const bare = bareUmaInvoice(given)
  const decoded = bare.length > MAX_TEXT_LENGTH ? undefined : bech32.decodeUnsafe(bare, NO_LIMIT)
  const bytes = decoded?.prefix === PREFIX ? bech32.fromWordsUnsafe(decoded.words) : undefined
  const fields = bytes instanceof Uint8Array ? readFields(Buffer.from(bytes)) : undefined
  if (fields === undefined) return undefined
  const byTag = new Map(fields.map(({ tag, value }) => [tag, value]))
  // Readers disagree about a field that occurs twice.
  if (byTag.size !== fields.length) return undefined
  const invoice = readInvoice(byTag)
  const signature = byTag.get(TAG.signature)
  if (invoice === undefined || signature === undefined) return undefined
  const signed = writeFields(fields.filter(({ tag }) => tag !== TAG.signature))
  // The received bytes are verified, whatever order and encoding their producer chose.
  return {
    invoice,
    isSignedBy: (publicKeyHex) => isSignedBy(Buffer.from(publicKeyHex, 'hex'), signed, { encoding: 'der', signature }),
  }
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const LAST_SECOND = 253_402_300_799n
/** The times from 2001 to 2286 have ten digits, and no binary integer has ten bytes. */
const TIME_IN_DIGITS = /^\d{10}$/

/** A short number is ambiguous (`2` is also 50), so the time of expiry decides for the whole invoice. */
function encodingOf(expiration: Buffer | undefined): NumberEncoding {
  return TIME_IN_DIGITS.test(expiration?.toString('latin1') ?? '') ? 'decimal' : 'binary'
}

function readInvoice(byTag: ReadonlyMap<number, Buffer>): UmaInvoice | undefined {
  const words = (tag: number): string | undefined => byTag.get(tag)?.toString('utf8')
  const encoding = encodingOf(byTag.get(TAG.expiration))
  const whole = (tag: number): bigint | undefined => numberIn(byTag.get(tag), encoding)
  const [receiver, uuid, callback] = [words(TAG.receiver), words(TAG.uuid), words(TAG.callback)]
  const [amount, expiration] = [whole(TAG.amount), whole(TAG.expiration)]
  const currency = readCurrency(byTag.get(TAG.currency), encoding)
  const versions = words(TAG.versions)
  const maxPayments = whole(TAG.maxPayments)
  if (receiver === undefined || uuid === undefined || callback === undefined || versions === undefined) return undefined
  if (amount === undefined || expiration === undefined || currency === undefined) return undefined
  if (!UUID.test(uuid) || amount < 1n || expiration > LAST_SECOND) return undefined
  return {
    receiver,
    uuid: uuid.toLowerCase(),
    amount,
    currency,
    expiresAtSeconds: Number(expiration),
    isSubjectToTravelRule: byTag.get(TAG.travelRule)?.[0] === 1,
    requiredPayerData: readPayerData(words(TAG.payerData) ?? ''),
    umaVersions: versions.split(',').map((each) => each.trim()),
    commentLength: Number(whole(TAG.comment) ?? 0n),
    sender: words(TAG.sender),
    maxPayments: maxPayments === undefined ? undefined : Number(maxPayments),
    kycStatus: words(TAG.kyc),
    callback,
  }
}

function numberIn(bytes: Buffer | undefined, encoding: NumberEncoding): bigint | undefined {
  return bytes === undefined ? undefined : readNumber(bytes, encoding)
}

function readCurrency(bytes: Buffer | undefined, encoding: NumberEncoding): InvoiceCurrency | undefined {
  const byTag = new Map((bytes === undefined ? undefined : readFields(bytes))?.map(({ tag, value }) => [tag, value]))
  const words = (tag: number): string | undefined => byTag.get(tag)?.toString('utf8')
  const [code, decimals] = [words(CURRENCY_TAG.code), numberIn(byTag.get(CURRENCY_TAG.decimals), encoding)]
  if (code === undefined || decimals === undefined) return undefined
  const names = shownNames({ code, name: words(CURRENCY_TAG.name), symbol: words(CURRENCY_TAG.symbol) })
  return { code, ...names, decimals: Number(decimals) }
}

function readPayerData(list: string): Record<string, boolean> {
  const pairs = list.split(',').map((each) => each.split(':'))
  return Object.fromEntries(pairs.filter((pair) => pair.length === 2).map(([name = '', flag]) => [name, flag === '1']))
}
