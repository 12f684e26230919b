import type { CurrencyCode, RateTable } from '../money/currencies'
import { feeOf } from '../money/fee'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { limitsOf } from '../money/limits'
import { refuseOverLimit } from '../payments/debit'
import type { Settings } from '../platform/config'
import { badInput } from '../platform/errors'

/** The price of a payment to an address. It is stored and never computed again. */
export interface Price {
  /** Smallest units of the sending currency, fees included. */
  readonly totalSendingAmount: bigint
  /** The same in ledger units. */
  readonly debit: bigint
  /** Smallest units of the sending currency, a part of the total. */
  readonly vaspFeeAmount: bigint
  /** The maximum network fee, which is paid out of our fee, in msats. */
  readonly feeLimitMsats: bigint
}

/** The currencies of a payment, the sender's and the receiver's, and the rates of its quote. */
export interface CurrencyPair {
  readonly code: CurrencyCode
  readonly receivingCode: string
  readonly rates: RateTable
}

/** The currency pair, and whether the payment leaves this VASP. */
export interface PriceInput extends CurrencyPair {
  readonly leaves: boolean
}

type FeeSettings = Pick<Settings, 'fxSpreadBps' | 'routingFeeBps'>

/**
 * Sending side locked: the total is given and contains the fees. The rest is sent as millisatoshis, rounded down, or rounded up if
 * the receiver has the same currency (`staysInCurrency`).
 * @throws VaspError 400 when nothing is left, or the amount is over the limit of one payment.
 */
export function priceOfTotal(
  settings: FeeSettings,
  total: bigint,
  input: PriceInput,
): Price & { readonly amountMsats: bigint } {
  const { code, rates } = input
  if (total > limitsOf(code, rates).max) throw badInput('The amount is above the limit for one payment.')
  const fees = vaspFees(settings, total, { exchanges: code !== input.receivingCode, leaves: input.leaves })
  const sentOn = total - fees.exchange - fees.route
  const amountMsats = sentOn < 1n ? 0n : msatsFor(sentOn, input)
  if (amountMsats < 1n) throw badInput('The amount is too small: nothing is left after fees.')
  return { ...toPrice(input, total, fees), amountMsats }
}

/**
 * Receiving side locked: the total is what the receiver's invoice costs, rounded up to whole smallest units, plus our
 * fees.
 * @throws VaspError 400 when the amount is over the limit of one payment.
 */
export function priceOfInvoice(settings: FeeSettings, amountMsats: bigint, input: PriceInput): Price {
  const { code } = input
  refuseOverLimit(amountMsats)
  const sentOn = costOf(amountMsats, input)
  const fees = vaspFees(settings, sentOn, { exchanges: code !== input.receivingCode, leaves: input.leaves })
  return toPrice(input, sentOn + fees.exchange + fees.route, fees)
}

/**
 * Whether both wallets have the same currency. The receiver then gets exactly the units that remain after the fees. The invoice
 * is in whole millisatoshis, and the receiver's VASP rounds them down to units, so this VASP rounds them up. The operator
 * pays the difference: less than one millisatoshi per payment. A unit must be worth at least one millisatoshi.
 */
function staysInCurrency({ code, receivingCode }: CurrencyPair): boolean {
  return code === receivingCode
}

/** The millisatoshis sent for smallest units of the sender's currency. */
function msatsFor(units: bigint, pair: CurrencyPair): bigint {
  return worthInMsats(toLedgerUnits(units, pair.code), pair.code, staysInCurrency(pair) ? 'up' : 'down', pair.rates)
}

/**
 * Millisatoshis in whole smallest units of the sender's currency, rounded up. Within one currency, one unit less is
 * enough when only a part of a millisatoshi is missing.
 */
export function costOf(msats: bigint, pair: CurrencyPair): bigint {
  const { code, rates } = pair
  // Rounded once: for SAT only the second step rounds, for other currencies only the first.
  const cost = fromLedgerUnits(msatsInLedgerUnits(msats, code, 'up', rates), code, 'up')
  return cost > 0n && staysInCurrency(pair) && msatsFor(cost - 1n, pair) >= msats ? cost - 1n : cost
}

function toPrice(
  { code, rates }: Pick<CurrencyPair, 'code' | 'rates'>,
  total: bigint,
  fees: { readonly exchange: bigint; readonly route: bigint },
): Price {
  return {
    totalSendingAmount: total,
    debit: toLedgerUnits(total, code),
    vaspFeeAmount: fees.exchange + fees.route,
    feeLimitMsats: worthInMsats(toLedgerUnits(fees.route, code), code, 'down', rates),
  }
}

/** The fees of this VASP, in smallest units of the sending currency. */
export interface VaspFees {
  /** For a currency conversion. */
  readonly exchange: bigint
  /** For an outgoing payment; the network fee is paid out of it. */
  readonly route: bigint
}

/**
 * The fees on an amount in smallest units, each rounded up. The amount is the total where the sending side is locked,
 * and the amount sent on where the receiving side is locked.
 */
function vaspFees(
  { fxSpreadBps, routingFeeBps }: Pick<Settings, 'fxSpreadBps' | 'routingFeeBps'>,
  amount: bigint,
  payment: { readonly exchanges: boolean; readonly leaves: boolean },
): VaspFees {
  return {
    exchange: payment.exchanges ? feeOf(amount, fxSpreadBps) : 0n,
    route: payment.leaves ? feeOf(amount, routingFeeBps) : 0n,
  }
}
