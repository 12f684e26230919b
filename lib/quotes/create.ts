import type { WalletAccount } from '../ledger/accounts'
import { MAX_WIRE_INTEGER } from '../money/convert'
import { formatUnits } from '../money/format'
import { refuseWithoutRoute } from '../payments/route'
import { epochSeconds } from '../platform/clock'
import { badInput, remoteFault, VaspError } from '../platform/errors'
import type { Address } from '../uma/address'
import { isCommentFor } from '../uma/client/comment'
import { lookUpForQuote } from '../uma/client/look-up'
import { retryOnUsedAnswer } from '../uma/client/nonce-retry'
import { ratioOf } from '../uma/client/request-invoice'
import type { InvoiceOffer, InvoiceRequest, Receiver } from '../uma/client/types'
import type { Protocol, ReceiverCurrency } from '../uma/types'
import { priceOfInvoice, priceOfTotal, type Price, type PriceInput } from './price'
import type { QuoteToPay } from './queries'
import { saveQuote, type NewQuote } from './save'
import type { Quote, QuotePorts, RemoteQuotePorts } from './types'

export interface QuoteRequest {
  readonly username: string
  /** The user's display name. Undefined: it is read when it is needed. */
  readonly payerName?: string | undefined
  /** Null for a quote from the dashboard. */
  readonly connectionId: string | null
  readonly wallet: Pick<WalletAccount, 'walletId' | 'code'>
  /** One of the receiver's currencies; the first one by default. */
  readonly receivingCode?: string | undefined
  readonly lockedSide: 'sending' | 'receiving'
  /** Smallest units of the locked side's currency. */
  readonly lockedAmount: bigint
  readonly comment?: string | undefined
}

const BILLION = 1_000_000_000n

/**
 * Requests an invoice from a receiver and fixes its price until the quote expires, at the rates of the lookup: rates that
 * move while another VASP answers have no effect. No money is held.
 * @throws VaspError 400 OTHER (a currency or a comment that the receiver does not accept, an amount out of range, an invoice that
 * differs from the request), 400 PAYMENT_FAILED (no route to the receiver's node for this price), and the errors of `receiver.requestInvoice`.
 */
export async function createQuote(ports: QuotePorts, receiver: Receiver, request: QuoteRequest): Promise<Quote> {
  const { domain } = receiver.address
  return (await retryOnUsedAnswer(domain, () => createOnce(ports, receiver, request))).quote
}

/**
 * Looks an address up and creates a quote for it at once. The nonces of both answers are taken when the quote is saved.
 * @throws VaspError as `lookUp` and `createQuote` do.
 */
export function quoteAddress(ports: RemoteQuotePorts, address: Address, request: QuoteRequest): Promise<QuoteToPay> {
  return retryOnUsedAnswer(address.domain, async () =>
    createOnce(ports, await lookUpForQuote(ports, request.username, address), request),
  )
}

async function createOnce(ports: QuotePorts, receiver: Receiver, request: QuoteRequest): Promise<QuoteToPay> {
  const currency = currencyFor(receiver, request.receivingCode)
  const input = priceInputOf(receiver, request, currency)
  const requested = lockOf(ports, receiver, currency, request, input)
  const callbackId = ports.ids.secret()
  const { username, payerName, comment } = request
  if (comment !== undefined && !isCommentFor(receiver, comment))
    throw badInput(`The comment is longer than ${receiver.address.text} accepts, or it contains invalid characters.`)
  const expirySeconds = ports.settings.quoteSeconds
  const offer = await receiver.requestInvoice({
    username,
    payerName,
    currency,
    lock: requested.lock,
    expirySeconds,
    comment,
    callbackId,
  })
  refuseMismatch(receiver.protocol, requested.lock, offer)
  // An invoice rounded down to whole units costs less than the locked total, so the invoice's amount sets the price.
  const isWhole = requested.lock.side === 'sending' && offer.amountMsats === requested.lock.msats
  return quoteOffer(ports, {
    ...request,
    receiver,
    currency,
    offer,
    callbackId,
    price: isWhole ? requested.price : undefined,
  })
}

export interface OfferToQuote extends Omit<
  NewQuote,
  'address' | 'protocol' | 'price' | 'expiresAtSeconds' | 'rates' | 'nonces'
> {
  readonly receiver: Pick<Receiver, 'address' | 'protocol' | 'rates' | 'nonce'>
  /** The price of a locked total. Undefined: the price is computed from the invoice. */
  readonly price?: Price | undefined
}

/**
 * Fixes the price of an existing invoice, such as a UMA invoice (UMAD-09).
 * @throws UmaFault INVALID_NONCE when the nonce of an answer was used before (`retryOnUsedAnswer`).
 */
export async function quoteOffer(ports: QuotePorts, request: OfferToQuote): Promise<QuoteToPay> {
  const { offer, receiver, currency } = request
  if (offer.invoice.amountMsats !== offer.amountMsats || offer.receivingUnits > MAX_WIRE_INTEGER) throw wrongAnswer()
  const input = priceInputOf(receiver, request, currency)
  const price = request.price ?? priceOfInvoice(ports.settings, offer.amountMsats, input)
  if (receiver.protocol !== 'own') {
    const { payee, invoice } = offer.invoice
    await refuseWithoutRoute(ports, { payee, amountMsats: offer.amountMsats, invoice }, price.feeLimitMsats)
  }
  const endsAtSeconds = epochSeconds(ports.clock.now()) + ports.settings.quoteSeconds
  return saveQuote(ports, {
    ...request,
    address: receiver.address.text,
    protocol: receiver.protocol,
    rates: receiver.rates,
    price,
    nonces: [receiver.nonce, offer.nonce].filter((nonce) => nonce !== undefined),
    expiresAtSeconds: Math.min(endsAtSeconds, offer.invoice.expiresAtSeconds),
  })
}

/** @throws VaspError 400 when the receiver does not accept the currency. */
function currencyFor({ address, currencies }: Receiver, code: string | undefined): ReceiverCurrency {
  const found = code === undefined ? currencies[0] : currencies.find((each) => each.code === code)
  if (found !== undefined) return found
  if (currencies.length === 0)
    throw remoteFault(
      'unusable',
      `${address.text} cannot be paid: ${address.domain} names no currency that it accepts. Nothing was paid. The receiver should tell their VASP.`,
    )
  const taken = currencies.map((each) => each.code).join(', ')
  throw badInput(`${address.text} does not accept ${code ?? 'any currency'}. It accepts: ${taken}.`)
}

function priceInputOf(
  { protocol, rates }: Pick<Receiver, 'protocol' | 'rates'>,
  { wallet }: Pick<QuoteRequest, 'wallet'>,
  currency: Pick<ReceiverCurrency, 'code'>,
): PriceInput {
  return { code: wallet.code, receivingCode: currency.code, leaves: protocol !== 'own', rates: rates.rateOf }
}

/** The amount to request from the receiver, with the price if it is known before the request. */
function lockOf(
  { settings }: Pick<QuotePorts, 'settings'>,
  receiver: Receiver,
  currency: ReceiverCurrency,
  { lockedSide, lockedAmount }: QuoteRequest,
  input: PriceInput,
): { readonly lock: InvoiceRequest['lock']; readonly price?: Price } {
  if (lockedSide === 'sending') {
    const { amountMsats: msats, ...price } = priceOfTotal(settings, lockedAmount, input)
    if (msats < receiver.minMsats || msats > receiver.maxMsats)
      throw badInput(
        `${receiver.address.text} does not accept this amount in one payment: it is too ${msats < receiver.minMsats ? 'small' : 'large'}.`,
      )
    refuseBelowMinimum(receiver, currency, msats)
    return { lock: { side: 'sending', msats }, price }
  }
  if (lockedAmount < currency.min || lockedAmount > currency.max) {
    const [min, max] = [currency.min, currency.max].map((units) => formatUnits(units, currency.decimals))
    throw badInput(`${receiver.address.text} accepts between ${min} and ${max} ${currency.code} in one payment.`)
  }
  return { lock: { side: 'receiving', units: lockedAmount } }
}

/** @throws VaspError 400 for millisatoshis below the receiver's minimum in the currency. */
function refuseBelowMinimum({ address }: Receiver, currency: ReceiverCurrency, msats: bigint): void {
  const { code, decimals, min } = currency
  const { numerator, denominator } = ratioOf(currency)
  const minimum = min < 1n ? 1n : min
  // The multiplier is a rounded float, so an amount lower by a billionth still passes. The receiver's VASP decides.
  if (msats * denominator * BILLION >= minimum * numerator * (BILLION - 1n)) return
  const sentence = `The amount is too small: ${address.text} accepts at least ${formatUnits(minimum, decimals)} ${code} in one payment.`
  throw new VaspError(400, 'OTHER', sentence, { isTooSmall: true })
}

/**
 * The invoice must match the locked side exactly. UMA 0 requests whole units of the receiver's currency only, so the
 * invoice may be lower by less than one unit.
 */
function refuseMismatch(protocol: Protocol, lock: InvoiceRequest['lock'], offer: InvoiceOffer): void {
  const isSame = lock.side === 'sending' ? offer.amountMsats === lock.msats : offer.receivingUnits === lock.units
  const isRoundedDown = protocol === 'uma-0' && lock.side === 'sending' && offer.amountMsats < lock.msats
  if (!isSame && !isRoundedDown) throw wrongAnswer()
}

function wrongAnswer(): Error {
  return remoteFault('offer', 'The receiver’s VASP returned an invoice for another amount. Nothing was paid.')
}
