import type { WalletAccount } from '../ledger/accounts'
import type { FixedCredit } from '../ledger/fixed-credit'
import type { RateSnapshot } from '../ledger/rate-snapshot'
import type { LightningNode } from '../lightning/node'
import type { RateTable } from '../money/currencies'
import { feeOf } from '../money/fee'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { badInput } from '../platform/errors'
import { buildInvoice, type InvoiceTerms, type UnsavedInvoice } from './service'

/** The side of a payment whose amount is fixed; the other side follows from the rate. */
export type Lock =
  | { readonly side: 'sending'; readonly msats: bigint }
  /** Smallest units of the receiving wallet's currency. */
  | { readonly side: 'receiving'; readonly units: bigint }

export interface FixedRateInvoice extends UnsavedInvoice {
  readonly amountMsats: bigint
  /** The credit in smallest units of the wallet's currency, whatever the rate is at the time of payment. */
  readonly receivingUnits: bigint
  readonly fixedCredit: FixedCredit
}

interface FixedRateTerms extends Omit<InvoiceTerms, 'amountMsats' | 'rates'> {
  readonly rates: RateSnapshot
  readonly lock: Lock
  readonly expirySeconds: number
  /** This VASP's fee in basis points; 0 by default. */
  readonly feeBps?: number
}

/**
 * Builds an invoice with a fixed credit in the wallet's currency. Receiving side locked: the payer pays the value of the credit,
 * rounded up, plus the fee. Sending side locked: the wallet gets the value of the millisatoshis less the fee, rounded down to whole
 * smallest units (UMAD-05, UMAD-06). The fee is rounded up.
 * @throws VaspError 400 when the wallet would get less than one unit, or the amount is over the limit for one payment.
 */
export async function buildFixedRateInvoice(
  ports: { readonly node: Pick<LightningNode, 'signInvoice'> },
  { lock, feeBps = 0, rates, ...terms }: FixedRateTerms,
): Promise<FixedRateInvoice> {
  const { wallet } = terms
  const { amountMsats, receivingUnits, feeMsats } = applyRate(wallet, lock, feeBps, rates.rateOf)
  const credit = toLedgerUnits(receivingUnits, wallet.code)
  const fixedCredit = { credit, rateSnapshotId: rates.snapshotId, feeMsats }
  return {
    ...(await buildInvoice(ports, { ...terms, amountMsats, rates: rates.rateOf })),
    amountMsats,
    receivingUnits,
    fixedCredit,
  }
}

/** Applies the rate: returns what the payer pays, what the wallet receives, and the fee. */
export function applyRate(
  { code }: Pick<WalletAccount, 'code'>,
  lock: Lock,
  feeBps: number,
  rates: RateTable,
): Pick<FixedRateInvoice, 'amountMsats' | 'receivingUnits'> & Pick<FixedCredit, 'feeMsats'> {
  if (lock.side === 'receiving') {
    const worth = worthInMsats(toLedgerUnits(lock.units, code), code, 'up', rates)
    const feeMsats = feeOf(worth, feeBps)
    return { amountMsats: worth + feeMsats, receivingUnits: lock.units, feeMsats }
  }
  const feeMsats = feeOf(lock.msats, feeBps)
  const receivingUnits = fromLedgerUnits(msatsInLedgerUnits(lock.msats - feeMsats, code, 'down', rates), code, 'down')
  if (receivingUnits < 1n) throw badInput(`The amount is worth less than one unit of ${code}.`)
  return { amountMsats: lock.msats, receivingUnits, feeMsats }
}
