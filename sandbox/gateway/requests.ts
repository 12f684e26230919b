import { z } from 'zod'
import { decodeInvoice, withoutScheme } from '../../lib/lightning/bolt11'
import { networkOfInvoice } from '../../lib/lightning/networks'
import { hashOfPreimage } from '../../lib/lightning/preimage'
import { visibleText } from '../../lib/platform/visible-text'
import {
  BalanceReply,
  InfoReply,
  LookupUserReply,
  PaymentReply,
  PayToAddressReply,
  QuoteReply,
  TransactionReply,
  TransactionsReply,
} from './replies'
import { setParams } from './set-params'

/** One call to the VASP, in the public gateway's format. */
export interface VaspCall {
  readonly method: 'GET' | 'POST'
  /** The path below the API base, with its query. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly reply: z.ZodType<Record<string, unknown>>
}

/** The amount of a payment without fees, in smallest units. */
export interface Sending {
  readonly currencyCode: string
  readonly amount: number
  readonly receiver: string
  /** Set when the hash is known before the payment: a wallet pays a hash once. */
  readonly paymentHash?: string
}

/** An app's parsed request: a call, or a payment that needs a budget check first. */
export type Wanted =
  | { readonly kind: 'call'; readonly call: VaspCall }
  | { readonly kind: 'payment'; readonly call: VaspCall; readonly sending: Sending }
  | { readonly kind: 'quoted-payment'; readonly paymentHash: string; readonly call: VaspCall }
  | { readonly kind: 'budget' }

/** Invalid parameters from an app. The message is sent to the app. */
export class BadParams extends Error {
  override readonly name = 'BadParams'
  constructor(
    readonly code: 'OTHER' | 'NOT_IMPLEMENTED',
    message: string,
  ) {
    super(message)
  }
}

const ABOVE_ZERO = 'must be a whole number above zero'
const amount = z.int(ABOVE_ZERO).min(1, ABOVE_ZERO)
const text = z.string('must be a text')
const optional = text.optional()
/** Exactly one identifier of a receiver. The public gateway supports `lud16` only. */
const receiver = z
  .record(z.string(), text, 'must be an object such as {"lud16": "$bob@example.com"}')
  .refine((value) => Object.keys(value).length === 1, { message: 'must name the receiver in exactly one way' })

/** The record of a keysend that carries its preimage (bLIP-3), for apps that do not send the member `preimage`. */
const PREIMAGE_RECORD = 5_482_373_484

const MSATS_PER_SAT = 1_000
const satsOf = (msats: number): number => Math.ceil(msats / MSATS_PER_SAT)

const READERS: Readonly<Record<string, (params: Record<string, unknown>) => Wanted>> = {
  get_info: () => get('/info', InfoReply),
  get_balance: (params) => {
    const { currency_code } = read(z.object({ currency_code: optional }), params)
    return get(`/balance${queryOf({ currency_code })}`, BalanceReply)
  },
  get_budget: () => ({ kind: 'budget' }),
  make_invoice: (params) => {
    const shape = z.object({ amount, description: optional, description_hash: optional, expiry: amount.optional() })
    const { description_hash = null, expiry = null, ...rest } = read(shape, params)
    // NIP-47 permits both, but an invoice has room for one (BOLT 11), and a VASP may refuse two.
    const description = description_hash === null ? (rest.description ?? null) : null
    return post('/invoice', { amount: rest.amount, description, description_hash, expiry }, TransactionReply)
  },
  lookup_invoice: (params) => {
    const parsed = read(z.object({ payment_hash: optional, invoice: optional }), params)
    const named = parsed.invoice === undefined ? undefined : decoded(parsed.invoice).paymentHash
    const hash = parsed.payment_hash ?? named
    if (hash === undefined) throw new BadParams('OTHER', 'payment_hash or invoice is required.')
    if (named !== undefined && hash.toLowerCase() !== named)
      throw new BadParams('OTHER', 'payment_hash is not the payment hash of invoice. Send one of them.')
    return get(`/invoices/${encodeURIComponent(hash)}`, TransactionReply)
  },
  list_transactions: (params) => {
    const whole = amount.optional()
    const shape = z.object({
      from: whole,
      until: whole,
      limit: whole,
      offset: whole,
      unpaid: z.boolean('must be true or false').optional(),
      type: z.enum(['incoming', 'outgoing'], 'must be incoming or outgoing').optional(),
    })
    const { type, unpaid, ...rest } = read(shape, params)
    // The public gateway prints the name of its enum, and fails on `unpaid`; here `unpaid` is passed on.
    const query = { ...rest, type: type === undefined ? null : `TransactionType.${type.toUpperCase()}`, unpaid }
    return get(`/transactions${queryOf(query)}`, TransactionsReply)
  },
  lookup_user: (params) => {
    const parsed = read(z.object({ receiver, base_sending_currency_code: optional }), params)
    const { base_sending_currency_code } = parsed
    return get(
      `/receiver/lud16/${addressOf(parsed.receiver)}${queryOf({ base_sending_currency_code })}`,
      LookupUserReply,
    )
  },
  fetch_quote: (params) => {
    const shape = z.object({
      receiver,
      sending_currency_code: text,
      receiving_currency_code: text,
      locked_currency_amount: amount,
      locked_currency_side: text.regex(/^(sending|receiving)$/i, 'must be sending or receiving'),
    })
    const { receiver: to, locked_currency_side, ...rest } = read(shape, params)
    const query = { ...rest, locked_currency_side: locked_currency_side.toLowerCase(), receiver_address: lud16Of(to) }
    return get(`/quote/lud16${queryOf(query)}`, QuoteReply)
  },
  execute_quote: (params) => {
    const { payment_hash } = read(z.object({ payment_hash: text.max(255, 'must have at most 255 characters') }), params)
    const call: VaspCall = {
      method: 'POST',
      path: `/quote/${encodeURIComponent(payment_hash)}`,
      body: {},
      reply: PaymentReply,
    }
    return { kind: 'quoted-payment', paymentHash: payment_hash, call }
  },
  pay_to_address: (params) => {
    const shape = z.object({
      receiver,
      sending_currency_code: text,
      sending_currency_amount: amount,
      receiving_currency_code: optional,
    })
    const parsed = read(shape, params)
    const { sending_currency_code, sending_currency_amount, receiving_currency_code = null } = parsed
    const receiver_address = lud16Of(parsed.receiver)
    const body = { receiver_address, sending_currency_code, sending_currency_amount, receiving_currency_code }
    return {
      kind: 'payment',
      call: { method: 'POST', path: '/payments/lud16', body, reply: PayToAddressReply },
      sending: { currencyCode: sending_currency_code, amount: sending_currency_amount, receiver: receiver_address },
    }
  },
  pay_invoice: (params) => {
    const parsed = read(z.object({ invoice: text, amount: amount.optional() }), params)
    const { amountMsats, description, paymentHash } = decoded(parsed.invoice)
    const msats = parsed.amount ?? (amountMsats === undefined ? undefined : Number(amountMsats))
    if (msats === undefined) throw new BadParams('OTHER', 'The invoice has no amount: amount is required.')
    return {
      kind: 'payment',
      call: {
        method: 'POST',
        path: '/payments/bolt11',
        body: { invoice: parsed.invoice, amount: parsed.amount ?? null },
        reply: PaymentReply,
      },
      sending: {
        currencyCode: 'SAT',
        amount: satsOf(msats),
        receiver: visibleText(description) ?? 'a Lightning invoice',
        paymentHash,
      },
    }
  },
  pay_keysend: (params) => {
    const shape = z.object({
      amount,
      pubkey: text,
      preimage: optional,
      tlv_records: z
        .array(
          z.object({ type: z.int('must be a whole number'), value: text }, 'must have a type and a value'),
          'must be a list of records',
        )
        .optional(),
    })
    const { preimage = null, tlv_records = null, ...parsed } = read(shape, params)
    const body = { amount: parsed.amount, pubkey: parsed.pubkey, preimage, tlv_records }
    const known = preimage ?? tlv_records?.find(({ type }) => type === PREIMAGE_RECORD)?.value
    return {
      kind: 'payment',
      call: { method: 'POST', path: '/payments/keysend', body, reply: PaymentReply },
      sending: {
        currencyCode: 'SAT',
        amount: satsOf(parsed.amount),
        receiver: `node ${parsed.pubkey.slice(0, 12)}…`,
        ...(known === undefined ? {} : { paymentHash: hashOfPreimage(known) }),
      },
    }
  },
}

export const COMMAND_NAMES: readonly string[] = Object.keys(READERS)

/** Parses an app's request. @throws BadParams with the message for the app. */
export function readRequest(command: string, params: unknown): Wanted {
  const reader = Object.hasOwn(READERS, command) ? READERS[command] : undefined
  if (reader === undefined)
    throw new BadParams('NOT_IMPLEMENTED', `${command.slice(0, 40)} is not a command of this wallet.`)
  const set = setParams(params)
  if (set === undefined) throw new BadParams('OTHER', 'params must be an object.')
  return reader(set)
}

function read<Shape extends z.ZodType>(shape: Shape, params: Record<string, unknown>): z.output<Shape> {
  const parsed = shape.safeParse(params)
  if (parsed.success) return parsed.data
  const { path = [], message = 'is not valid' } = parsed.error.issues[0] ?? {}
  const isMissing = path.length === 1 && !Object.hasOwn(params, String(path[0]))
  throw new BadParams(
    'OTHER',
    `${path.join('.')} ${isMissing ? 'is missing. null, "" and 0 count as missing' : message}.`,
  )
}

function decoded(invoice: string): {
  paymentHash: string
  amountMsats: bigint | undefined
  description: string | undefined
} {
  const decoding = decodeInvoice(invoice, networkOfInvoice(withoutScheme(invoice)) ?? 'regtest')
  if (!decoding.ok) throw new BadParams('OTHER', decoding.reason)
  return decoding.invoice
}

function lud16Of(to: Readonly<Record<string, string>>): string {
  if (to.lud16 === undefined)
    throw new BadParams(
      'NOT_IMPLEMENTED',
      `A receiver given by ${Object.keys(to)[0] ?? ''} cannot be paid; send lud16 instead.`,
    )
  return to.lud16
}

/** The address is sent raw except for characters that a path cannot contain, as the public gateway does. */
function addressOf(to: Readonly<Record<string, string>>): string {
  return encodeURIComponent(lud16Of(to)).replaceAll('%24', '$').replaceAll('%40', '@').replaceAll('%3A', ':')
}

function get(path: string, reply: VaspCall['reply']): Wanted {
  return { kind: 'call', call: { method: 'GET', path, reply } }
}

function post(path: string, body: Readonly<Record<string, unknown>>, reply: VaspCall['reply']): Wanted {
  return { kind: 'call', call: { method: 'POST', path, body, reply } }
}

function queryOf(values: Readonly<Record<string, unknown>>): string {
  const given = Object.entries(values).filter(([, value]) => value !== undefined && value !== null)
  if (given.length === 0) return ''
  return `?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`
}
