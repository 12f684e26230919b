import type { Database } from '../../platform/db/database'
import { deleteInSlices, deletion, SLICE, type Deleted } from '../../platform/db/delete-in-slices'
import { statement } from '../../platform/db/statement'
import { runEvery } from '../../platform/run-every'

const EVERY_MS = 60 * 60_000

const FORGET = statement<Deleted>(
  'forget_refusals',
  deletion(
    'lightning_node.receipts',
    'id',
    `select id from lightning_node.receipts
     where state = 'refused' and created_at < now() - interval '2 hours'
     order by created_at limit ${SLICE}`,
  ),
)

/**
 * Deletes refusals older than two hours and returns their number. A refusal blocks a delayed copy of its call. A copy
 * older than a few minutes is rejected for its timestamp anyway. `track` of a deleted refusal answers `never-sent`.
 * @throws Error when the database is not available.
 */
export function forgetOldRefusals(db: Database): Promise<number> {
  return deleteInSlices(db, FORGET)
}

/** Deletes old refusals now and every hour while the process runs. */
export function scheduleRefusalCleanup(db: Database, onError: (error: unknown) => void): void {
  runEvery(EVERY_MS, () => forgetOldRefusals(db), onError)()
}
