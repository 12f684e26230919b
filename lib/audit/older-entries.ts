import { setTimeout as sleep } from 'node:timers/promises'
import type { NodeBooks } from '../lightning/opened-node'
import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import { auditSlices, FROM_THE_BEGINNING, readAuditMark, type Breach } from './invariants'

/** The audit rests three times as long as a slice took, so it needs at most a quarter of a core. */
const REST = 3
/** It rests while calls wait, but not for ever: under steady load too, it has to end. */
const MAX_PAUSE_MS = 10_000
const PAUSE_MS = 20

const AGAIN_MS = 60_000

interface OlderEntries {
  readonly db: Database
  readonly log: Log
  readonly nodeBooks: NodeBooks
  /** Receives what each slice found. */
  readonly note: (breaches: readonly Breach[]) => Promise<void>
  /** The audit pauses meanwhile. */
  readonly callsWait: () => boolean
  /** Whether another audit has read all books since the start. */
  readonly isDone: () => boolean
}

/** Reads all books once, slice by slice, with rests. Never rejects: while the database does not answer, it begins again. */
export async function auditOlder({ log, isDone, ...ports }: OlderEntries): Promise<void> {
  const startedMs = performance.now()
  for (let isRead = isDone(); !isRead; isRead ||= isDone())
    try {
      await auditSlowly(ports)
      isRead = true
    } catch (error) {
      log.error({ error }, 'older entries could not be audited')
      await sleep(AGAIN_MS, undefined, { ref: false })
    }
  log.info({ seconds: Math.round((performance.now() - startedMs) / 1_000) }, 'all entries were audited')
}

async function auditSlowly({ db, nodeBooks, note, callsWait }: Omit<OlderEntries, 'log' | 'isDone'>): Promise<void> {
  const until = await readAuditMark(db)
  let sliceMs = performance.now()
  for await (const breaches of auditSlices(db, FROM_THE_BEGINNING, until, nodeBooks)) {
    const tookMs = performance.now() - sliceMs
    await note(breaches)
    await sleep(REST * tookMs, undefined, { ref: false })
    const latestMs = performance.now() + MAX_PAUSE_MS
    while (callsWait() && performance.now() < latestMs) await sleep(PAUSE_MS, undefined, { ref: false })
    sliceMs = performance.now()
  }
}
