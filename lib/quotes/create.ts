import { epochSeconds } from '../platform/clock'
import { VaspError, badInput, theirFault } from '../platform/errors'
import type { WalletAccount } from '../ledger/accounts'
import { MAX_WIRE_INTEGER } from '../money/convert'
import { formatUnits } from '../money/format'
import { noRoute } from '../payments/errors'
import { priceOf } from '../uma/ask-uma'
import { isCommentFor } from '../uma/comment'
import type { Ask, Offer, Protocol, Receiver, ReceiverCurrency } from '../uma/counterparty'
import { saveQuote, type NewQuote } from './save'
import { priceOfInvoice, priceOfTotal, type Price, type Way } from './price'
import type { Quote, QuotePorts } from './types'

export interface QuoteRequest {
  readonly username: string
  /** Null when the person asks in the dashboard. */
  readonly connectionId: string | null
  readonly wallet: Pick<WalletAccount, 'walletId' | 'code'>
  /** One of the receiver's; their first when none is named. */
  readonly receivingCode?: string | undefined
  readonly lockedSide: 'sending' | 'receiving'
  /** Smallest units of the locked side's currency. */
  readonly lockedAmount: bigint
  readonly comment?: string | undefined
}

const BILLION = 1_000_000_000n

/**
 * Asks a receiver for an invoice and promises our person what paying it costs, until the quote ends. Nothing is held.
 * @throws VaspError 400 OTHER (a currency that the receiver does not take, too little, too much, a comment that it does not
 * take, an answer that is not what was asked for), 400 PAYMENT_FAILED (no route to the receiver's node), and whatever asking throws.
 */
export async function createQuote(ports: QuotePorts, receiver: Receiver, request: QuoteRequest): Promise<Quote> {
  const currency = currencyFor(receiver, request.receivingCode)
  const way = wayTo(receiver.protocol, request, currency)
  const asked = lockOf(ports, receiver, currency, request, way)
  const callbackId = ports.ids.secret()
  const { username, comment } = request
  if (comment !== undefined && !isCommentFor(receiver, comment))
    throw badInput(`The comment is longer than what ${receiver.address.text} takes, or cannot be written.`)
  const expirySeconds = ports.settings.quoteSeconds
  const offer = await receiver.ask({ username, currency, lock: asked.lock, expirySeconds, comment, callbackId })
  refuseAnother(receiver.protocol, asked.lock, offer)
  // What was left out for the sake of whole units is not paid: then the invoice says what it costs.
  const isWhole = asked.lock.side === 'sending' && offer.amountMsats === asked.lock.msats
  return quoteOffer(ports, {
    ...request,
    receiver,
    currency,
    offer,
    callbackId,
    price: isWhole ? asked.price : undefined,
  })
}

export interface OfferToQuote extends Omit<NewQuote, 'address' | 'protocol' | 'price' | 'expiresAtSeconds'> {
  readonly receiver: Pick<Receiver, 'address' | 'protocol'>
  /** Where the total was given; otherwise it is what the invoice costs. */
  readonly price?: Price | undefined
}

/** Promises our person what an invoice costs that is there already, as for a UMA invoice (UMAD-09). */
export async function quoteOffer(ports: QuotePorts, request: OfferToQuote): Promise<Quote> {
  const { offer, receiver, currency } = request
  if (receiver.protocol !== 'own') await refuseWithoutRoute(ports, offer)
  if (offer.invoice.amountMsats !== offer.amountMsats || offer.receivingUnits > MAX_WIRE_INTEGER) throw wrongAnswer()
  const way = wayTo(receiver.protocol, request, currency)
  const price = request.price ?? priceOfInvoice(ports.settings, offer.amountMsats, way)
  const endsAtSeconds = epochSeconds(ports.clock.now()) + ports.settings.quoteSeconds
  return saveQuote(ports, {
    ...request,
    address: receiver.address.text,
    protocol: receiver.protocol,
    price,
    expiresAtSeconds: Math.min(endsAtSeconds, offer.invoice.expiresAtSeconds),
  })
}

async function refuseWithoutRoute(
  { node }: Pick<QuotePorts, 'node'>,
  { invoice, amountMsats }: OfferToQuote['offer'],
): Promise<void> {
  if ((await node.mayReach(invoice.payee, amountMsats)) === undefined) throw noRoute({ node }, invoice.payee)
}

/** @throws VaspError 400 when the receiver does not take the currency. */
function currencyFor({ address, currencies }: Receiver, code: string | undefined): ReceiverCurrency {
  const found = code === undefined ? currencies[0] : currencies.find((each) => each.code === code)
  if (found !== undefined) return found
  const taken = currencies.map((each) => each.code).join(', ')
  throw badInput(`${address.text} does not take ${code ?? 'any currency'}. It takes: ${taken}.`)
}

function wayTo(
  protocol: Protocol,
  { wallet }: Pick<QuoteRequest, 'wallet'>,
  currency: Pick<ReceiverCurrency, 'code'>,
): Way {
  return { code: wallet.code, receivingCode: currency.code, leaves: protocol !== 'own' }
}

/** What the receiver is asked for; with the price where it follows from that alone. */
function lockOf(
  { settings }: Pick<QuotePorts, 'settings'>,
  receiver: Receiver,
  currency: ReceiverCurrency,
  { lockedSide, lockedAmount }: QuoteRequest,
  way: Way,
): { readonly lock: Ask['lock']; readonly price?: Price } {
  if (lockedSide === 'sending') {
    const { amountMsats: msats, ...price } = priceOfTotal(settings, lockedAmount, way)
    if (msats < receiver.minMsats || msats > receiver.maxMsats)
      throw badInput(
        `${receiver.address.text} does not take this amount in one payment: it is too ${msats < receiver.minMsats ? 'small' : 'large'}.`,
      )
    refuseBelowLeast(receiver, currency, msats)
    return { lock: { side: 'sending', msats }, price }
  }
  if (lockedAmount < currency.min || lockedAmount > currency.max) {
    const [min, max] = [currency.min, currency.max].map((units) => formatUnits(units, currency.decimals))
    throw badInput(`${receiver.address.text} takes between ${min} and ${max} ${currency.code} in one payment.`)
  }
  return { lock: { side: 'receiving', units: lockedAmount } }
}

/** @throws VaspError 400 for millisatoshis that are worth less than the least that the receiver takes in the currency. */
function refuseBelowLeast({ address }: Receiver, currency: ReceiverCurrency, msats: bigint): void {
  const { code, decimals, min } = currency
  const { numerator, denominator } = priceOf(currency)
  const least = min < 1n ? 1n : min
  // The multiplier is a rounded float, so a billionth less still counts as the least. The receiver's VASP decides in the end.
  if (msats * denominator * BILLION >= least * numerator * (BILLION - 1n)) return
  const sentence = `The amount is too small: ${address.text} takes at least ${formatUnits(least, decimals)} ${code} in one payment.`
  throw new VaspError(400, 'OTHER', sentence, { isTooSmall: true })
}

/**
 * The side that was locked is the side that was agreed on, to the last unit. UMA 0 can ask for whole units of the receiver's
 * currency only, so that less than a unit of what was to be sent may stay here.
 */
function refuseAnother(protocol: Protocol, lock: Ask['lock'], offer: Offer): void {
  const isSame = lock.side === 'sending' ? offer.amountMsats === lock.msats : offer.receivingUnits === lock.units
  const isRoundedDown = protocol === 'uma-0' && lock.side === 'sending' && offer.amountMsats < lock.msats
  if (!isSame && !isRoundedDown) throw wrongAnswer()
}

function wrongAnswer(): Error {
  return theirFault(
    'offer',
    'The receiver’s side answered with another amount than it was asked for. Nothing was paid.',
  )
}
