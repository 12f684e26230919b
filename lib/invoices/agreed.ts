import type { Deps } from '../deps'
import { badInput } from '../errors'
import type { WalletAccount } from '../ledger/accounts'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { drawInvoice, type DrawnInvoice, type InvoiceTerms } from './create'

/** The side of a payment whose amount was named; the other follows from the rate. */
export type Lock =
  | { readonly side: 'sending'; readonly msats: bigint }
  /** Smallest units of the receiving wallet's currency. */
  | { readonly side: 'receiving'; readonly units: bigint }

/** What the wallet was promised, in its ledger units, and the rates it was promised at. */
export interface AgreedCredit {
  readonly credit: bigint
  readonly rateSnapshotId: string
}

export interface AgreedInvoice extends DrawnInvoice {
  readonly amountMsats: bigint
  /** What the wallet gets, whatever the rate does until then: smallest units of its currency. */
  readonly receivingUnits: bigint
  readonly agreed: AgreedCredit
}

/**
 * Draws up an invoice that promises its wallet an amount in the wallet's own currency. Receiving side locked: the payer pays
 * what that amount costs, rounded up. Sending side locked: the wallet gets what the millisatoshis are worth, rounded down
 * to whole smallest units (UMAD-05, UMAD-06).
 * @throws VaspError 400 when the wallet would get less than one unit, or the amount is over the limit of one payment.
 */
export function drawAgreedInvoice(
  deps: Pick<Deps, 'node' | 'clock' | 'rates'>,
  { lock, ...terms }: Omit<InvoiceTerms, 'amountMsats'> & { readonly lock: Lock; readonly expirySeconds: number },
): AgreedInvoice {
  const { wallet } = terms
  const { amountMsats, receivingUnits } = agree(wallet, lock)
  const agreed = { credit: toLedgerUnits(receivingUnits, wallet.code), rateSnapshotId: deps.rates.snapshotId }
  return { ...drawInvoice(deps, { ...terms, amountMsats }), amountMsats, receivingUnits, agreed }
}

function agree(
  { code }: Pick<WalletAccount, 'code'>,
  lock: Lock,
): Pick<AgreedInvoice, 'amountMsats' | 'receivingUnits'> {
  if (lock.side === 'receiving') {
    const amountMsats = worthInMsats(toLedgerUnits(lock.units, code), code, 'up')
    return { amountMsats, receivingUnits: lock.units }
  }
  const receivingUnits = fromLedgerUnits(msatsInLedgerUnits(lock.msats, code, 'down'), code, 'down')
  if (receivingUnits < 1n) throw badInput(`The amount is worth less than one unit of ${code}.`)
  return { amountMsats: lock.msats, receivingUnits }
}
