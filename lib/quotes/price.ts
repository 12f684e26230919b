import { badInput } from '../errors'
import type { CurrencyCode } from '../money/currencies'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { limitsOf } from '../money/limits'
import { refuseOverLimit } from '../payments/refusals'
import type { Settings } from '../settings'
import { ourFees } from './fees'

/** What a payment to an address costs, as it is stored and never computed again. */
export interface Price {
  /** Smallest units of the sending currency, fees included. */
  readonly totalSendingAmount: bigint
  /** The same in ledger units. */
  readonly debit: bigint
  /** Smallest units of the sending currency, a part of the total. */
  readonly ownFees: bigint
  /** What the route may take of our fees, in msats. */
  readonly feeLimitMsats: bigint
}

/** Between which currencies, and whether the payment leaves this VASP. */
export interface Way {
  readonly code: CurrencyCode
  readonly receivingCode: string
  readonly leaves: boolean
}

type FeeSettings = Pick<Settings, 'fxSpreadBps' | 'routingFeeBps'>

/**
 * Sending side locked: the total is what was asked for, the fees are inside it, and what is left of it goes on its way as
 * millisatoshis, rounded down.
 * @throws VaspError 400 when nothing is left, or the amount is over the limit of one payment.
 */
export function priceOfTotal(settings: FeeSettings, total: bigint, way: Way): Price & { readonly amountMsats: bigint } {
  const { code } = way
  if (total > limitsOf(code).max) throw badInput('The amount is over the limit of one payment.')
  const fees = ourFees(settings, total, { exchanges: code !== way.receivingCode, leaves: way.leaves })
  const sentOn = total - fees.exchange - fees.route
  const amountMsats = sentOn < 1n ? 0n : worthInMsats(toLedgerUnits(sentOn, code), code, 'down')
  if (amountMsats < 1n) throw badInput('The amount is too small: the fees leave nothing of it.')
  return { ...priceOf(code, total, fees), amountMsats }
}

/**
 * Receiving side locked: the total is what the receiver's invoice costs, rounded up to whole smallest units, and our fees
 * on top of it.
 * @throws VaspError 400 when the amount is over the limit of one payment.
 */
export function priceOfInvoice(settings: FeeSettings, amountMsats: bigint, way: Way): Price {
  const { code } = way
  refuseOverLimit(amountMsats)
  const sentOn = costOf(amountMsats, code)
  const fees = ourFees(settings, sentOn, { exchanges: code !== way.receivingCode, leaves: way.leaves })
  return priceOf(code, sentOn + fees.exchange + fees.route, fees)
}

/** Millisatoshis in whole smallest units of a currency, rounded up: once, since for SAT only the second step rounds. */
export function costOf(msats: bigint, code: CurrencyCode): bigint {
  return fromLedgerUnits(msatsInLedgerUnits(msats, code, 'up'), code, 'up')
}

function priceOf(
  code: CurrencyCode,
  total: bigint,
  fees: { readonly exchange: bigint; readonly route: bigint },
): Price {
  return {
    totalSendingAmount: total,
    debit: toLedgerUnits(total, code),
    ownFees: fees.exchange + fees.route,
    feeLimitMsats: worthInMsats(toLedgerUnits(fees.route, code), code, 'down'),
  }
}
