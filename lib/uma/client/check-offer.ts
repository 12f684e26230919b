import { decodeInvoice, type DecodedInvoice } from '../../lightning/bolt11'
import type { NodeIdentity } from '../../lightning/node'
import { divide } from '../../money/ledger-units'
import { isWithinPercent, readMultiplier, type Multiplier } from '../messages/multiplier'
import type { AnsweredTerms } from '../messages/pay-answer'
import { readSuccessAction, type SuccessAction } from './success-action'

/** The terms that this VASP requested from another VASP. */
export interface RequestedTerms {
  /** The version of UMA that the receiver uses. */
  readonly major: 0 | 1
  readonly code: string
  readonly decimals: number
  readonly lock:
    { readonly side: 'sending'; readonly msats: bigint } | { readonly side: 'receiving'; readonly units: bigint }
  /** The expected price: from the lookup, or our own rate. Undefined when there is neither. */
  readonly price: Multiplier | undefined
}

/** Our own node and the current time. */
export interface Here {
  readonly node: Pick<NodeIdentity, 'publicKeyHex' | 'network'>
  readonly nowSeconds: number
}

export type Checked =
  | { readonly ok: true; readonly receivingUnits: bigint; readonly feeMsats: bigint; readonly amountMsats: bigint }
  | { readonly ok: false; readonly reason: string }

const MAX_PRICE_CHANGE_PERCENT = 5n
const MAX_FEE_PERCENT = 5n
/** A fee up to this amount is accepted even if it exceeds `MAX_FEE_PERCENT`. */
const SMALL_FEE_MSATS = 10_000n
/** Prices are floating-point numbers, so an amount computed from a price may be off by this fraction. */
const FLOAT_PART = 10n ** 12n

export type CheckedInvoice =
  | { readonly ok: true; readonly invoice: DecodedInvoice; readonly amountMsats: bigint }
  | { readonly ok: false; readonly reason: string }

/** Checks that an invoice can be paid: for our network, signed, from another node, with an amount, and not expired. */
export function checkInvoice(text: string, { node, nowSeconds }: Here): CheckedInvoice {
  const decoded = decodeInvoice(text, node.network)
  if (!decoded.ok) return no(decoded.reason)
  const { invoice } = decoded
  const { amountMsats } = invoice
  if (amountMsats === undefined) return no('the invoice names no amount')
  if (invoice.payee === node.publicKeyHex) return no('the invoice pays this VASP')
  if (invoice.expiresAtSeconds <= nowSeconds) return no('the invoice has expired')
  return { ok: true, invoice, amountMsats }
}

/**
 * Reads the success action to store with the offer, or says why the offer is refused: a link has to lead to the receiver's
 * own domain (LUD-09).
 */
export function checkSuccessAction(
  given: unknown,
  isOwnAddress: (url: string) => boolean,
): { readonly ok: true; readonly action: SuccessAction | null } | { readonly ok: false; readonly reason: string } {
  const action = readSuccessAction(given)
  if (action === 'unsupported') return no('it promises something after the payment that this VASP cannot show')
  if (action?.tag === 'url' && !isOwnAddress(action.url))
    return no('its link after the payment leads to another domain')
  return { ok: true, action }
}

/**
 * Checks the terms of an answer, with integers only: amount × multiplier + fee = invoice amount (UMAD-06), the
 * requested currency and amount, the expected price, and the size of the fee.
 */
export function checkTerms(asked: RequestedTerms, terms: AnsweredTerms, amountMsats: bigint): Checked {
  const price = readMultiplier(terms.multiplier)
  const { feeMsats } = terms
  const { lock } = asked
  if (terms.code !== asked.code || terms.decimals !== asked.decimals) return no('the answer is in another currency')
  if (price === undefined) return no('the answer names no price')
  if (asked.price !== undefined && !isWithinPercent(asked.price, price, MAX_PRICE_CHANGE_PERCENT))
    return no('the price differs by more than 5 % from the expected price')
  if (feeMsats > SMALL_FEE_MSATS && feeMsats * 100n > amountMsats * MAX_FEE_PERCENT) return no('the fee is too high')
  if (feeMsats >= amountMsats) return no('the fee takes the whole amount')
  const receivingUnits = lock.side === 'receiving' ? (terms.units ?? lock.units) : terms.units
  if (receivingUnits === undefined) return no('the answer does not say what the receiver gets')
  if (lock.side === 'receiving') {
    if (receivingUnits !== lock.units) return no('the receiver would get another amount')
    // One millisatoshi for rounding.
    if (isFor(price, receivingUnits, amountMsats - feeMsats, price.denominator))
      return { ok: true, receivingUnits, feeMsats, amountMsats }
    return no(
      asked.major === 0 && (amountMsats === lock.units || amountMsats - feeMsats === lock.units)
        ? 'the receiver’s VASP reads the amount as millisatoshis, but in UMA version 0 it is in units of the receiving currency. Trying again will not help; the receiver should tell their VASP'
        : 'the invoice is not for amount × multiplier + fee',
    )
  }
  if (amountMsats !== lock.msats) return no('the invoice is for another amount')
  // One unit for the receiver's rounding, which loses less than one unit, and one millisatoshi.
  return isFor(price, receivingUnits, amountMsats - feeMsats, price.numerator + price.denominator)
    ? { ok: true, receivingUnits, feeMsats, amountMsats }
    : no('the receiver would not get what the amount is worth')
}

/** |units × price − msats| ≤ slack, with all terms multiplied by the price's denominator. */
function isFor(price: Multiplier, units: bigint, msats: bigint, slack: bigint): boolean {
  const worth = units * price.numerator
  const paid = msats * price.denominator
  const apart = worth > paid ? worth - paid : paid - worth
  return apart <= slack + divide(worth, FLOAT_PART, 'down')
}

function no(reason: string): { readonly ok: false; readonly reason: string } {
  return { ok: false, reason }
}
