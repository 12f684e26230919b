import type { EventFeed } from '../events/feed'
import type { EventRecorder } from '../events/recorder'
import type { CreateInvoice } from '../invoices/service'
import type { HouseAccounts } from '../ledger/accounts'
import type { Rates } from '../ledger/rate-snapshot'
import type { SimulatedNode } from '../lightning/simulated-node/node'
import type { Post } from '../lightning/simulated-node/peer-client'
import type { PeerTerms } from '../lightning/simulated-node/peers'
import type { Clock } from '../platform/clock'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import type { RateLimits } from '../platform/http/rate-limits'
import type { Log } from '../platform/log'
import type { FindRecipient } from '../uma/payable-user'
import type { FaultInjector } from './faults'

/**
 * What the sandbox tools change in the bank. `lib/sandbox` implements it, and `lib/start.ts` passes each part to its place. Without the
 * tools there is none of them.
 */
export interface SandboxTools {
  /** Records and shows events. */
  readonly events: EventRecorder
  readonly eventFeed: EventFeed
  readonly faults: FaultInjector
  /** The listed rates, each replaced by its pinned rate if there is one. */
  readonly rates: Rates
  /** A peer of the node in this process, which pays and is paid by test values. */
  readonly testPeer: { readonly peer: PeerTerms; readonly post: Post }
  /** Whether the hash belongs to an open invoice whose memo keeps its payments on hold. */
  readonly isHeld: (paymentHash: string, memo: string | null | undefined) => Promise<boolean>
  /** Adds the test recipients. */
  withRecipients(find: FindRecipient): FindRecipient
  /** Adds the test memos. */
  withMemos(create: CreateInvoice, node: Pick<SimulatedNode, 'identity' | 'answer'>): CreateInvoice
  /** Opens the wallets of the test users a month ago, and books an example month. The first function runs before the opening balances. */
  readonly exampleMonth:
    | {
        /** Undefined for a database that was started without the month. */
        openedAt(): Promise<Date | undefined>
        book(openedAt: Date, house: HouseAccounts): Promise<void>
      }
    | undefined
  /** What the pages of the tools use. Only `lib/sandbox` knows its type. */
  readonly forPages: object
}

/** What the tools need of the bank. */
export interface SandboxToolsParts {
  readonly settings: Settings
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly limits: Pick<RateLimits, 'admit'>
  readonly listedRates: Rates
}
