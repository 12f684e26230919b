import type { Deps } from '../deps'
import type { Address } from '../uma/address'
import { lookUp } from '../uma/look-up'
import { executeQuote, type Executed } from './service'
import { makeQuote, type QuoteRequest } from './create'
import { quoteOfKey, takeKey, type PaymentKey } from './idempotency-key'
import type { Quote } from './types'

export interface AddressPayment extends Pick<QuoteRequest, 'username' | 'wallet' | 'receivingCode'> {
  readonly connectionId: string
  readonly address: Address
  /** Smallest units of the wallet's currency, fees included. */
  readonly totalSendingAmount: bigint
  /** May refuse the quote, by throwing, before anything is held for it. */
  readonly beforePaying: (quote: Quote) => unknown
  /** The connection's `Idempotency-Key`: the same key again is the same payment. */
  readonly key: string | null
}

/**
 * Pays an address an amount of the wallet's own currency: a quote, and its payment at once. Asking the receiver has turns of
 * its own, so that a VASP that is slow keeps nothing else of the person waiting. Under a key the first quote is paid however
 * often it is asked for, at the price that it promised; one that ended unpaid gives way to the next.
 * @throws VaspError as looking up, `makeQuote` and `executeQuote` do, and 400 OTHER for a key of another payment.
 */
export async function payToAddress(deps: Deps, payment: AddressPayment): Promise<Executed> {
  const { username, connectionId } = payment
  deps.audit.refusePaymentsAfterBreach()
  const key = keyOf(payment)
  const earlier = key === undefined ? undefined : await quoteOfKey(deps.db, key)
  const paymentHash = earlier ?? (await deps.limits.runOutbound(username, () => newQuote(deps, payment, key)))
  return deps.limits.runForUser(username, () => executeQuote(deps, { username, connectionId, paymentHash }))
}

/** The hash of the quote to be paid: a new one, or under a key that of the copy that was first. */
async function newQuote(deps: Deps, payment: AddressPayment, key: PaymentKey | undefined): Promise<string> {
  const { username, connectionId, wallet, receivingCode, totalSendingAmount: lockedAmount } = payment
  const receiver = await lookUp(deps, username, payment.address)
  const request = { username, connectionId, wallet, receivingCode, lockedSide: 'sending' as const, lockedAmount }
  const quote = await makeQuote(deps, receiver, request)
  payment.beforePaying(quote)
  return key === undefined ? quote.paymentHash : takeKey(deps.db, key, quote.paymentHash)
}

function keyOf({ connectionId, key, ...payment }: AddressPayment): PaymentKey | undefined {
  if (key === null) return undefined
  const { address, wallet, totalSendingAmount, receivingCode = null } = payment
  const asked = JSON.stringify([address.text, wallet.code, String(totalSendingAmount), receivingCode])
  return { connectionId, key, asked }
}
