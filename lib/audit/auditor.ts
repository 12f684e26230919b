import { z } from 'zod'
import type { NodeBooks, PeerDifference } from '../lightning/opened-node'
import { inTime } from '../platform/concurrency/in-time'
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
import { auditOlder } from './older-entries'
import {
  isBefore,
  passBreaches,
  readBreaches,
  readLastBreach,
  readPosition,
  storeBreaches,
  storePosition,
} from './stored'

/** Payments stay stopped until an operator acts, so a retry within seconds would fail. */
const RETRY_SECONDS = '60'

const EVERY_MS = 60_000
/** Maximum delay before a loss or a breach that another process has stored stops payments in this process. */
const STOPS_EVERY_MS = 5_000
/** When its last audit is older than this, the process is not ready. */
const STALE_MS = 5 * 60_000
/** A start waits so long for its first audit before it serves. Until that audit is complete, it refuses payments. */
const START_PATIENCE_MS = 3_000

export interface AuditReport {
  readonly postings: string
  readonly breaches: readonly Breach[]
  /** What an earlier audit found. It stops payments until an audit of the scope `whole` passes. */
  readonly stored?: readonly Breach[]
  /** One line for each peer whose totals exceed our records. The peer is not paid until an operator accepts the difference. */
  readonly review?: readonly string[]
}

/** What `npm run audit` asks for: the payments whose losses are acknowledged, and whether payments continue if the audit passes. */
export const AuditRequest = z.strictObject({
  whole: z.literal(true).optional(),
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

/** The answer to `POST /-/audit`. */
export interface AuditReply extends AuditReport {
  /** Of the payments named in the request, those whose losses it has acknowledged. */
  readonly acknowledged?: readonly string[]
}

/**
 * `recent`: only what earlier audits, of any process, may have missed. `everything`: all books. `whole`: all books too, and if nothing is
 * found, the breaches that were stored before it began no longer stop payments.
 */
export type Scope = 'recent' | 'everything' | 'whole'

/** Watches the books of a running process. */
export interface Auditor {
  /**
   * Audits the books. A call during an audit of the same scope shares that result.
   * A breach is stored, and stops payments on every instance until a whole audit passes. A loss is reported until it is
   * acknowledged on any instance.
   * @throws Error when the database does not answer.
   */
  run(scope: Scope): Promise<AuditReport>
  /**
   * Reads the stored breaches, audits what was written since the stored position, and then audits everything else slowly. Returns after
   * the first of these audits, or earlier when it takes long: payments are refused until it is complete. `callsWait` pauses the slow one.
   */
  start(callsWait: () => boolean): Promise<void>
  /** Resolves when the first audit of this process is complete. */
  readonly checked: Promise<void>
  /** Audits every minute and reads the losses and the stored breaches every five seconds. */
  keepRunning(): void
  /** Reads the losses that any process on this database has booked: payments that arrived after their refund. */
  lookForLosses(): Promise<void>
  /** Reads the breaches that any process on this database has stored. */
  lookForBreaches(): Promise<void>
  /** Acknowledges losses, so that they no longer stop payments. Returns the ids of the losses that it acknowledged. */
  acknowledge(paymentIds: readonly bigint[]): Promise<bigint[]>
  state(): 'ok' | 'failed' | 'missing'
  /** Time since the last complete audit; `Infinity` before the first. */
  ageSeconds(): number
  /** `review` while a peer is not paid because its totals exceed our records. */
  peers(): 'ok' | 'review'
  /** Stops payments at once because of a loss that this process has booked. */
  report(loss: Breach): void
  /** @throws VaspError 503 while a breach or an unacknowledged loss is known, and until the first audit after `start` is complete. */
  refusePaymentsAfterBreach(): void
}

/** `nodeBooks`: compared with the ledger when they are here. `peerDifferences`: the differences that the node found when it last compared totals with its peers. */
export function makeAuditor(
  db: Database,
  log: Log,
  nodeBooks: NodeBooks,
  peerDifferences: () => readonly PeerDifference[] = () => [],
): Auditor {
  /** Breaches that are stored, and breaches of this process that the database has not stored yet. */
  let stored: readonly Breach[] = []
  let unsaved: readonly Breach[] = []
  let saves = 0
  let losses: readonly Breach[] = []
  let reports = 0
  let lastDoneMs: number | undefined
  let seen: AuditMark | undefined
  let storedMark: string | undefined
  let isStarting = false
  let hasReadAll = false
  let queue: Promise<unknown> = Promise.resolve()
  const inProgress = new Map<Scope, Promise<AuditReport>>()
  let firstIsDone: () => void = () => undefined
  const checked = new Promise<void>((resolve) => (firstIsDone = resolve))
  const found = (): readonly Breach[] => [...stored, ...unsaved]

  async function audit(scope: Scope): Promise<AuditReport> {
    const lastBreach = scope === 'whole' ? await readLastBreach(db) : undefined
    const ended = await readEndedMark(db)
    const mark = await readAuditMark(db)
    const since = scope === 'recent' ? await continueFrom(mark) : FROM_THE_BEGINNING
    const breaches = await findBreaches(db, since, mark, nodeBooks)
    await note(breaches)
    await lookForLosses()
    if (lastBreach !== undefined && breaches.length + unsaved.length === 0) await passBreaches(db, lastBreach)
    await lookForBreaches()
    seen = ended
    lastDoneMs = performance.now()
    hasReadAll ||= since === FROM_THE_BEGINNING
    isStarting = false
    firstIsDone()
    await keepPosition(ended)
    const earlier = stored.filter((one) => !breaches.some(({ detail }) => detail === one.detail))
    return {
      postings: String(mark.lastPosting),
      breaches: [...breaches, ...losses],
      ...(earlier.length > 0 && { stored: earlier }),
      review: peerDifferences().map(describeDifference),
    }
  }

  /** The position of this process, or before its first audit the stored one. Neither counts in books that do not reach it. */
  async function continueFrom(now: AuditMark): Promise<AuditMark> {
    const position = seen ?? (await readPosition(db, now))
    return position !== undefined && isBefore(position, now) ? position : FROM_THE_BEGINNING
  }

  /** Without a stored position, only the next start takes longer. */
  async function keepPosition(mark: AuditMark): Promise<void> {
    const { lastPosting, lastEntry, lastPayment, lastReceipt, lastNodeReceipt, openPayments } = mark
    const text = [lastPosting, lastEntry, lastPayment, lastReceipt, lastNodeReceipt, ...openPayments].join()
    if (unsaved.length > 0 || text === storedMark) return
    try {
      await storePosition(db, mark)
      storedMark = text
    } catch (error) {
      log.warn({ error }, 'the position of the audit was not stored')
    }
  }

  async function note(breaches: readonly Breach[]): Promise<void> {
    if (breaches.length === 0) return
    unsaved = [...unsaved, ...breaches]
    log.error({ breaches }, 'the books do not balance: payments are stopped')
    await save().catch((error: unknown) => log.error({ error }, 'a breach was not stored'))
  }

  async function save(): Promise<void> {
    const saving = unsaved
    if (saving.length === 0) return
    await storeBreaches(db, saving)
    saves += 1
    unsaved = unsaved.filter((breach) => !saving.includes(breach))
    stored = [...stored, ...saving]
  }

  async function lookForBreaches(): Promise<void> {
    await save()
    const before = saves
    const now = await readBreaches(db)
    // A breach that was stored during the query may be missing from its result.
    if (saves !== before) return
    const known = new Set(stored.map(({ detail }) => detail))
    const isNew = now.some(({ detail }) => !known.has(detail))
    if (isNew)
      log.error({ breaches: now }, 'an audit has found a breach: payments are stopped until a whole audit passes')
    if (stored.length > 0 && now.length === 0) log.info('a whole audit has passed: no breach stops payments')
    stored = now
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
        found().length > 0
          ? 'all losses are acknowledged: payments stay stopped because the books do not balance'
          : 'all losses are acknowledged: payments continue',
      )
    losses = now
  }

  function run(scope: Scope): Promise<AuditReport> {
    const shared = inProgress.get(scope)
    if (shared !== undefined) return shared
    const turn = queue.then(() => audit(scope))
    const over = (): void => void inProgress.delete(scope)
    queue = turn.then(over, over)
    inProgress.set(scope, turn)
    return turn
  }

  const runRecent = (): Promise<unknown> =>
    run('recent').catch((error: unknown) => log.error({ error }, 'the audit could not run'))

  return {
    run,
    checked,
    async start(callsWait) {
      isStarting = true
      await lookForBreaches().catch((error: unknown) => log.error({ error }, 'stored breaches could not be read'))
      const first = runRecent()
      void first.then(() => auditOlder({ db, log, nodeBooks, note, callsWait, isDone: () => hasReadAll }))
      await inTime(first, undefined, START_PATIENCE_MS)
    },
    report(loss) {
      reports += 1
      setLosses([...losses, loss])
    },
    lookForLosses,
    lookForBreaches,
    async acknowledge(paymentIds) {
      const acknowledged = await acknowledgeLosses(db, paymentIds)
      if (acknowledged.length > 0) log.warn({ payments: acknowledged.map(String) }, 'losses were acknowledged')
      await lookForLosses()
      return acknowledged
    },
    keepRunning() {
      setInterval(() => void runRecent(), EVERY_MS).unref()
      setInterval(() => {
        lookForLosses().catch((error: unknown) => log.warn({ error }, 'losses could not be read'))
        lookForBreaches().catch((error: unknown) => log.warn({ error }, 'stored breaches could not be read'))
      }, STOPS_EVERY_MS).unref()
    },
    state() {
      if (found().length + losses.length > 0) return 'failed'
      return lastDoneMs === undefined || performance.now() - lastDoneMs > STALE_MS ? 'missing' : 'ok'
    },
    ageSeconds: () => (lastDoneMs === undefined ? Infinity : (performance.now() - lastDoneMs) / 1_000),
    peers: () => (peerDifferences().length === 0 ? 'ok' : 'review'),
    refusePaymentsAfterBreach() {
      if (isStarting || found().length + losses.length > 0)
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
