import type { Database } from '../platform/db/database'
import { VaspError } from '../platform/errors'
import type { Log } from '../platform/log'
import {
  FROM_THE_BEGINNING,
  findBreaches,
  readAuditMark,
  readEndedMark,
  type AuditMark,
  type Breach,
  type NodeBooks,
} from './invariants'
import { acknowledgeLosses, readLosses } from './losses'
import { describeUnbooked, readUnbooked } from './unbooked'

/** A person has to look first. */
const RETRY_SECONDS = '60'

const EVERY_MS = 60_000
/** So long may a process go on paying after another one on its database has seen a loss. */
const LOSSES_EVERY_MS = 5_000
/** Readiness wants an audit that is no older. */
const STALE_MS = 5 * 60_000

export interface AuditReport {
  readonly postings: string
  readonly breaches: readonly Breach[]
  /** What peers know and our books do not: it waits for a person. */
  readonly review?: readonly string[]
}

/** What `POST /-/audit` answers. */
export interface AuditReply extends AuditReport {
  /** Payments that the request named and that were losses waiting for it. */
  readonly acknowledged?: readonly string[]
}

/** Watches the books of a running process. */
export interface Auditor {
  /**
   * Audits everything, or what the audits before cannot have seen. Who asks while one of the scope is under way gets its
   * answer. A breach once found stays until the process ends; a loss until it is acknowledged, on whatever instance.
   */
  run(scope: 'everything' | 'recent'): Promise<AuditReport>
  /** From now on once a minute, and for losses every five seconds. */
  keepRunning(): void
  /** Looks whether a payment was made that had been given back, here or by another process on this database. */
  lookForLosses(): Promise<void>
  /** A person has looked at these payments: those that were losses, which it gives, stop nobody any more. */
  acknowledge(paymentIds: readonly bigint[]): Promise<bigint[]>
  state(): 'ok' | 'failed' | 'missing'
  /** `review` while something that a peer has told waits for a person: that peer is sent nothing. */
  peers(): 'ok' | 'review'
  /** A loss was booked here this moment: nothing is sent before the next look. */
  report(loss: Breach): void
  /** @throws VaspError 503 when the books are known not to balance: nothing is sent until a person has looked. */
  refusePaymentsAfterBreach(): void
}

export function makeAuditor(db: Database, log: Log, nodeBooks: NodeBooks = 'here'): Auditor {
  let found: readonly Breach[] = []
  let losses: readonly Breach[] = []
  let review: readonly string[] = []
  let reports = 0
  let lastDoneMs: number | undefined
  let seen: AuditMark = FROM_THE_BEGINNING
  let queue: Promise<unknown> = Promise.resolve()
  const underWay = new Map<string, Promise<AuditReport>>()

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
    return { postings: String(mark.lastPosting), breaches: [...breaches, ...losses], review }
  }

  async function lookForLosses(): Promise<void> {
    const before = reports
    const now = await readLosses(db)
    // What was booked and reported meanwhile may be missing from this answer.
    if (reports === before) setLosses(now)
    review = (await readUnbooked(db)).map(describeUnbooked)
  }

  function setLosses(now: readonly Breach[]): void {
    const known = new Set(losses.map(({ detail }) => detail))
    if (now.some(({ detail }) => !known.has(detail)))
      log.error({ breaches: now }, 'a payment was given back and made after all: payments are stopped')
    if (losses.length > 0 && now.length === 0) log.info('all losses are acknowledged: payments go on')
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
      const shared = underWay.get(scope)
      if (shared !== undefined) return shared
      const turn = queue.then(() => audit(scope === 'everything' ? FROM_THE_BEGINNING : seen))
      const over = (): void => void underWay.delete(scope)
      queue = turn.then(over, over)
      underWay.set(scope, turn)
      return turn
    },
    keepRunning() {
      setInterval(() => {
        this.run('recent').catch((error: unknown) => log.error({ error }, 'the audit could not be made'))
      }, EVERY_MS).unref()
      setInterval(() => {
        lookForLosses().catch((error: unknown) => log.warn({ error }, 'could not look for losses'))
      }, LOSSES_EVERY_MS).unref()
    },
    state() {
      if (found.length + losses.length > 0) return 'failed'
      return lastDoneMs === undefined || performance.now() - lastDoneMs > STALE_MS ? 'missing' : 'ok'
    },
    peers: () => (review.length === 0 ? 'ok' : 'review'),
    refusePaymentsAfterBreach() {
      if (found.length + losses.length > 0)
        throw new VaspError(503, 'INTERNAL', 'Payments are stopped while our books are checked.', {
          headers: { 'Retry-After': RETRY_SECONDS },
        })
    },
  }
}
