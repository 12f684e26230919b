import type { VaspKeys } from 'uma-auth-vasp'
import type { Passwords } from '../accounts/sign-in/passwords'
import type { SignInThrottle } from '../accounts/sign-in/sign-in-throttle'
import type { Auditor } from '../audit/auditor'
import type { AppNames } from '../connections/app-names'
import type { EventFeed } from '../events/feed'
import type { EventRecorder } from '../events/recorder'
import type { CreateInvoice } from '../invoices/service'
import type { HouseAccounts, NodeAccounts } from '../ledger/accounts'
import type { Rates } from '../ledger/rate-snapshot'
import type { LightningNode } from '../lightning/node'
import type { OpenedNode } from '../lightning/opened-node'
import type { PaymentWorker } from '../payments/worker'
import type { BoundedLog } from '../platform/bounded-log'
import type { Clock } from '../platform/clock'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import type { VaspError } from '../platform/errors'
import type { Answered, RejectionReason } from '../platform/http/http-server'
import type { RateLimits } from '../platform/http/rate-limits'
import type { Ids } from '../platform/ids'
import type { Log } from '../platform/log'
import { processSingletons } from '../platform/process-singletons'
import type { UmaInvoices } from '../uma/invoices/open'
import type { OpenUma } from '../uma/open'
import type { FindRecipient } from '../uma/payable-user'
import type { FaultInjector } from './faults'

/**
 * The running process: what `lib/start.ts` builds. Each use case declares the few parts that it needs; only pages, routes and
 * the server use the whole.
 */
export interface Application {
  readonly settings: Settings
  readonly db: Database
  readonly clock: Clock
  readonly ids: Ids
  readonly log: Log
  /** For log lines that any client can cause: it limits their rate. */
  readonly boundedLog: BoundedLog
  /** The keys of the bearer tokens. */
  readonly keys: VaspKeys
  readonly limits: RateLimits
  readonly signInThrottle: SignInThrottle
  readonly passwords: Passwords
  readonly node: LightningNode
  /** The same node when it is a simulated node, which its peers call. */
  readonly simulatedNode: OpenedNode['simulated'] | undefined
  readonly house: HouseAccounts
  readonly nodeAccounts: NodeAccounts
  readonly nodePeers: OpenedNode['peers'] | undefined
  readonly rates: Rates
  /** Only `lib/sandbox` knows its type; undefined without the sandbox tools. */
  readonly forToolPages?: object | undefined
  readonly audit: Auditor
  /** Records events for the pages of the sandbox tools. */
  readonly events: EventRecorder
  readonly eventFeed: EventFeed
  readonly appNames: AppNames
  /** Undefined without the sandbox tools: stored faults are ignored. */
  readonly faults: FaultInjector | undefined
  /** Undefined without UMA keys: UMA is off. */
  readonly uma: OpenUma | undefined
  /** UMA invoices and requests for money. Undefined with `UMA_INVOICES=off`. */
  readonly umaInvoices: UmaInvoices | undefined
  readonly findRecipient: FindRecipient
  readonly createInvoice: CreateInvoice
  readonly paymentWorker: PaymentWorker
  /** Counts rejected requests, if `METRICS_PORT` is set. */
  readonly countRejection?: ((reason: RejectionReason) => void) | undefined
  /** Counts answers outside the API, if `METRICS_PORT` is set. */
  readonly countAnswer?: ((answered: Answered) => void) | undefined
  /** The public error for an unexpected failure: 503 when the database does not answer, 500 otherwise. */
  readonly describeFailure: (error: unknown) => VaspError
}

/** The running application, for pages and routes. @throws Error before the server has started. */
export function application(): Application {
  const started = processSingletons().get('application') as Application | undefined
  if (started === undefined) throw new Error('the server has not started')
  return started
}
