import { feeOf } from '../money/fee'
import type { Settings } from '../platform/config'

/** What this VASP takes for itself, in smallest units of the currency that is sent. */
export interface OurFees {
  /** For changing one currency into another. */
  readonly exchange: bigint
  /** For a payment that leaves; what its route costs is paid out of it. */
  readonly route: bigint
}

/**
 * Our fees of an amount in smallest units, each rounded up: of the whole where the sending side is locked, of what is sent
 * on where the receiving side is.
 */
export function ourFees(
  { fxSpreadBps, routingFeeBps }: Pick<Settings, 'fxSpreadBps' | 'routingFeeBps'>,
  amount: bigint,
  payment: { readonly exchanges: boolean; readonly leaves: boolean },
): OurFees {
  return {
    exchange: payment.exchanges ? feeOf(amount, fxSpreadBps) : 0n,
    route: payment.leaves ? feeOf(amount, routingFeeBps) : 0n,
  }
}
