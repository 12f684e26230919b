import type { Deps } from '../deps'
import type { Address } from '../uma/address'
import { lookUp } from '../uma/look-up'
import { executeQuote, type Executed } from './execute'
import { makeQuote, type QuoteRequest } from './make'
import type { Quote } from './quote'

export interface AddressPayment extends Pick<QuoteRequest, 'username' | 'connectionId' | 'wallet' | 'receivingCode'> {
  readonly address: Address
  /** Smallest units of the wallet's currency, fees included. */
  readonly totalSendingAmount: bigint
  /** May refuse the quote, by throwing, before anything is held for it. */
  readonly beforePaying: (quote: Quote) => unknown
}

/**
 * Pays an address an amount of the wallet's own currency: a quote, and its payment at once. Asking the receiver has turns of
 * its own, so that a VASP that is slow keeps nothing else of the person waiting.
 * @throws VaspError as looking up, `makeQuote` and `executeQuote` do.
 */
export async function payToAddress(deps: Deps, payment: AddressPayment): Promise<Executed> {
  const { username, connectionId, wallet, receivingCode, totalSendingAmount: lockedAmount } = payment
  deps.audit.refusePaymentsAfterBreach()
  const { paymentHash } = await deps.limits.inTurn(`abroad ${username}`, async () => {
    const receiver = await lookUp(deps, username, payment.address)
    const request = { username, connectionId, wallet, receivingCode, lockedSide: 'sending' as const, lockedAmount }
    const quote = await makeQuote(deps, receiver, request)
    payment.beforePaying(quote)
    return quote
  })
  return deps.limits.inTurn(username, () => executeQuote(deps, { username, connectionId, paymentHash }))
}
