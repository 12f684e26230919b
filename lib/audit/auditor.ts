import type { Database } from '../db/database'
import { VaspError } from '../errors'
import type { Log } from '../log'
import {
  FROM_THE_BEGINNING,
  findBreaches,
  readAuditMark,
  readEndedMark,
  type AuditMark,
  type Breach,
} from './invariants'

const EVERY_MS = 60_000
/** Readiness wants an audit that is no older. */
const STALE_MS = 5 * 60_000

export interface AuditReport {
  readonly postings: string
  readonly breaches: readonly Breach[]
}

/** Watches the books of a running process. */
export interface Auditor {
  /**
   * Audits everything, or what the audits before cannot have seen. Who asks while one of the scope is under way gets its
   * answer. A breach once found stays until the process ends.
   */
  run(scope: 'everything' | 'recent'): Promise<AuditReport>
  /** From now on once a minute. */
  keepRunning(): void
  state(): 'ok' | 'failed' | 'missing'
  /** Something else has found that the books and the world do not agree. */
  report(breach: Breach): void
  /** @throws VaspError 503 when the books are known not to balance: nothing is sent until a person has looked. */
  refusePaymentsAfterBreach(): void
}

export function makeAuditor(db: Database, log: Log): Auditor {
  let found: readonly Breach[] = []
  let lastDoneMs: number | undefined
  let seen: AuditMark = FROM_THE_BEGINNING
  let queue: Promise<unknown> = Promise.resolve()
  const underWay = new Map<string, Promise<AuditReport>>()

  async function audit(since: AuditMark): Promise<AuditReport> {
    const ended = await readEndedMark(db)
    const mark = await readAuditMark(db)
    const breaches = await findBreaches(db, since, mark)
    seen = ended
    lastDoneMs = performance.now()
    if (breaches.length > 0) stopPayments(breaches)
    return { postings: String(mark.lastPosting), breaches }
  }

  function stopPayments(breaches: readonly Breach[]): void {
    found = breaches
    log.error({ breaches }, 'the books do not balance: payments are stopped')
  }

  return {
    report: (breach) => stopPayments([...found, breach]),
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
    },
    state() {
      if (found.length > 0) return 'failed'
      return lastDoneMs === undefined || performance.now() - lastDoneMs > STALE_MS ? 'missing' : 'ok'
    },
    refusePaymentsAfterBreach() {
      if (found.length > 0) throw new VaspError(503, 'INTERNAL', 'Payments are stopped while our books are checked.')
    },
  }
}
