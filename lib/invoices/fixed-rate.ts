import type { Rates } from '../money/rate-snapshot'
import type { LightningNode } from '../lightning/node'
import { badInput } from '../platform/errors'
import type { WalletAccount } from '../ledger/accounts'
import { feeOf } from '../money/fee'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { buildInvoice, type UnsavedInvoice, type InvoiceTerms } from './service'

/** The side of a payment whose amount was named; the other follows from the rate. */
export type Lock =
  | { readonly side: 'sending'; readonly msats: bigint }
  /** Smallest units of the receiving wallet's currency. */
  | { readonly side: 'receiving'; readonly units: bigint }

/** What the wallet was promised, in its ledger units, and the rates it was promised at. */
export interface FixedCredit {
  readonly credit: bigint
  readonly rateSnapshotId: string
  /** What the house keeps of the invoice's amount. */
  readonly feeMsats: bigint
}

export interface FixedRateInvoice extends UnsavedInvoice {
  readonly amountMsats: bigint
  /** What the wallet gets, whatever the rate does until then: smallest units of its currency. */
  readonly receivingUnits: bigint
  readonly agreed: FixedCredit
}

interface FixedRateTerms extends Omit<InvoiceTerms, 'amountMsats'> {
  readonly lock: Lock
  readonly expirySeconds: number
  /** Hundredths of a per cent that the house keeps; none where it is not given. */
  readonly feeBps?: number
}

/**
 * Draws up an invoice that promises its wallet an amount in the wallet's own currency. Receiving side locked: the payer pays
 * what that amount costs, rounded up, and the fee on top. Sending side locked: the wallet gets what the millisatoshis are
 * worth when the fee is taken out, rounded down to whole smallest units (UMAD-05, UMAD-06). The fee is rounded up.
 * @throws VaspError 400 when the wallet would get less than one unit, or the amount is over the limit of one payment.
 */
export async function buildFixedRateInvoice(
  ports: { readonly node: Pick<LightningNode, 'signInvoice'>; readonly rates: Pick<Rates, 'snapshotId'> },
  { lock, feeBps = 0, ...terms }: FixedRateTerms,
): Promise<FixedRateInvoice> {
  const { wallet } = terms
  const { amountMsats, receivingUnits, feeMsats } = agree(wallet, lock, feeBps)
  const credit = toLedgerUnits(receivingUnits, wallet.code)
  const agreed = { credit, rateSnapshotId: ports.rates.snapshotId, feeMsats }
  return { ...(await buildInvoice(ports, { ...terms, amountMsats })), amountMsats, receivingUnits, agreed }
}

/** What a lock means in the wallet's currency: what the payer pays, what the wallet gets, and what the house keeps. */
export function agree(
  { code }: Pick<WalletAccount, 'code'>,
  lock: Lock,
  feeBps: number,
): Pick<FixedRateInvoice, 'amountMsats' | 'receivingUnits'> & Pick<FixedCredit, 'feeMsats'> {
  if (lock.side === 'receiving') {
    const worth = worthInMsats(toLedgerUnits(lock.units, code), code, 'up')
    const feeMsats = feeOf(worth, feeBps)
    return { amountMsats: worth + feeMsats, receivingUnits: lock.units, feeMsats }
  }
  const feeMsats = feeOf(lock.msats, feeBps)
  const receivingUnits = fromLedgerUnits(msatsInLedgerUnits(lock.msats - feeMsats, code, 'down'), code, 'down')
  if (receivingUnits < 1n) throw badInput(`The amount is worth less than one unit of ${code}.`)
  return { amountMsats: lock.msats, receivingUnits, feeMsats }
}
