import { z } from 'zod'
import type { NodeBooks, PeerDifference } from '../lightning/opened-node'
import type { Database } from '../platform/db/database'
import { VaspError } from '../platform/errors'
import type { Log } from '../platform/log'
import {
  findBreaches,
  FROM_THE_BEGINNING,
  readAuditMark,
  readEndedMark,
  type AuditMark,
  type Breach,
} from './invariants'
import { acknowledgeLosses, readLosses } from './losses'

/** Payments stay stopped until an operator acts, so a retry within seconds would fail. */
const RETRY_SECONDS = '60'

const EVERY_MS = 60_000
/** Maximum delay before a loss booked by another process stops payments in this process. */
const LOSSES_EVERY_MS = 5_000
/** When its last audit is older than this, the process is not ready. */
const STALE_MS = 5 * 60_000

export interface AuditReport {
  readonly postings: string
  readonly breaches: readonly Breach[]
  /** One line for each peer whose totals exceed our records. The peer is not paid until an operator accepts the difference. */
  readonly review?: readonly string[]
}

/** The answer to `POST /-/audit`. */
/** What `npm run audit` asks for: the payments whose losses are acknowledged. */
export const AuditRequest = z.strictObject({
  acknowledge: z
    .array(
      z
        .string()
        .regex(/^[1-9]\d{0,17}$/)
        .transform(BigInt),
    )
    .min(1)
    .max(100)
    .optional(),
})

export interface AuditReply extends AuditReport {
  /** Of the payments named in the request, those whose losses it has acknowledged. */
  readonly acknowledged?: readonly string[]
}

/** Watches the books of a running process. */
export interface Auditor {
  /**
   * Audits everything, or only what earlier audits may have missed. A call during an audit of the same scope shares that result.
   * After a breach, `state()` stays `failed` until the process ends. A loss is reported until it is acknowledged on any instance.
   * @throws Error when the database does not answer.
   */
  run(scope: 'everything' | 'recent'): Promise<AuditReport>
  /** Audits every minute and reads the losses every five seconds. */
  keepRunning(): void
  /** Reads the losses that any process on this database has booked: payments that arrived after their refund. */
  lookForLosses(): Promise<void>
  /** Acknowledges losses, so that they no longer stop payments. Returns the ids of the losses that it acknowledged. */
  acknowledge(paymentIds: readonly bigint[]): Promise<bigint[]>
  state(): 'ok' | 'failed' | 'missing'
  /** Time since the last complete audit; `Infinity` before the first. */
  ageSeconds(): number
  /** `review` while a peer is not paid because its totals exceed our records. */
  peers(): 'ok' | 'review'
  /** Stops payments at once because of a loss that this process has booked. */
  report(loss: Breach): void
  /** @throws VaspError 503 while a breach or an unacknowledged loss is known. */
  refusePaymentsAfterBreach(): void
}

/** `nodeBooks`: compared with the ledger when they are here. `peerDifferences`: the differences that the node found when it last compared totals with its peers. */
export function makeAuditor(
  db: Database,
  log: Log,
  nodeBooks: NodeBooks,
  peerDifferences: () => readonly PeerDifference[] = () => [],
): Auditor {
  let found: readonly Breach[] = []
  let losses: readonly Breach[] = []
  let reports = 0
  let lastDoneMs: number | undefined
  let seen: AuditMark = FROM_THE_BEGINNING
  let queue: Promise<unknown> = Promise.resolve()
  const inProgress = new Map<string, Promise<AuditReport>>()

  async function audit(since: AuditMark): Promise<AuditReport> {
    const ended = await readEndedMark(db)
    const mark = await readAuditMark(db)
    const breaches = await findBreaches(db, since, mark, nodeBooks)
    await lookForLosses()
    seen = ended
    lastDoneMs = performance.now()
    if (breaches.length > 0) {
      found = breaches
      log.error({ breaches }, 'the books do not balance: payments are stopped')
    }
    return {
      postings: String(mark.lastPosting),
      breaches: [...breaches, ...losses],
      review: peerDifferences().map(describeDifference),
    }
  }

  async function lookForLosses(): Promise<void> {
    const before = reports
    const now = await readLosses(db)
    // A loss that was reported during the query may be missing from its result.
    if (reports === before) setLosses(now)
  }

  function setLosses(now: readonly Breach[]): void {
    const known = new Set(losses.map(({ detail }) => detail))
    if (now.some(({ detail }) => !known.has(detail)))
      log.error({ breaches: now }, 'a payment succeeded after it was refunded: payments are stopped')
    if (losses.length > 0 && now.length === 0)
      log.info(
        found.length > 0
          ? 'all losses are acknowledged: payments stay stopped because the books do not balance'
          : 'all losses are acknowledged: payments continue',
      )
    losses = now
  }

  return {
    report(loss) {
      reports += 1
      setLosses([...losses, loss])
    },
    lookForLosses,
    async acknowledge(paymentIds) {
      const acknowledged = await acknowledgeLosses(db, paymentIds)
      if (acknowledged.length > 0) log.warn({ payments: acknowledged.map(String) }, 'losses were acknowledged')
      await lookForLosses()
      return acknowledged
    },
    run(scope) {
      const shared = inProgress.get(scope)
      if (shared !== undefined) return shared
      const turn = queue.then(() => audit(scope === 'everything' ? FROM_THE_BEGINNING : seen))
      const over = (): void => void inProgress.delete(scope)
      queue = turn.then(over, over)
      inProgress.set(scope, turn)
      return turn
    },
    keepRunning() {
      setInterval(() => {
        this.run('recent').catch((error: unknown) => log.error({ error }, 'the audit could not run'))
      }, EVERY_MS).unref()
      setInterval(() => {
        lookForLosses().catch((error: unknown) => log.warn({ error }, 'losses could not be read'))
      }, LOSSES_EVERY_MS).unref()
    },
    state() {
      if (found.length + losses.length > 0) return 'failed'
      return lastDoneMs === undefined || performance.now() - lastDoneMs > STALE_MS ? 'missing' : 'ok'
    },
    ageSeconds: () => (lastDoneMs === undefined ? Infinity : (performance.now() - lastDoneMs) / 1_000),
    peers: () => (peerDifferences().length === 0 ? 'ok' : 'review'),
    refusePaymentsAfterBreach() {
      if (found.length + losses.length > 0)
        throw new VaspError(503, 'INTERNAL', 'Payments are stopped while our books are checked.', {
          headers: { 'Retry-After': RETRY_SECONDS },
        })
    },
  }
}

function describeDifference({ peer, sentMsats, receivedMsats }: PeerDifference): string {
  const difference = `the node ${peer} has received ${sentMsats} msats more from us, and sent us ${receivedMsats} msats more, than our records show`
  return `${difference}; to accept this: npm run payments -- --accept=${peer} --sent=${sentMsats} --received=${receivedMsats} --because="…"`
}
