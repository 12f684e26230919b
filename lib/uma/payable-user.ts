import type { WalletAccount } from '../ledger/accounts'
import type { LightningNode } from '../lightning/node'
import type { Database } from '../platform/db/database'
import type { Nonce } from './nonces'

/** A user of this VASP who can be paid. */
export interface PayableUser {
  readonly username: string
  readonly displayName: string
  /** In order of preference; never empty. */
  readonly wallets: readonly PaidWallet[]
  /**
   * The node that signs this user's invoices and keeps their preimages, when it is not the node of this VASP. A payment
   * then leaves this VASP, and nothing is credited here.
   */
  readonly node?: Pick<LightningNode, 'signInvoice'>
  /** The maximum validity of this user's invoices. */
  readonly maxExpirySeconds?: number
}

export type PaidWallet = Pick<WalletAccount, 'walletId' | 'code'>

/** `unknown`: there is no such user, or the account is closed. `suspended`: the user accepts no payments now. */
export type Found = PayableUser | 'unknown' | 'suspended'

/**
 * Finds a receiver of this VASP by username. @param nonce of the message that names the receiver: it is taken too.
 * @throws UmaFault INVALID_NONCE for a nonce that was taken before; VaspError 403 RESTRICTED for a receiver who must not be paid, 400 OTHER for a receiver who cannot be reached.
 */
export type FindRecipient = (db: Database, username: string, nonce?: Nonce) => Promise<Found>
