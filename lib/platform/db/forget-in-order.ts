import { runEvery } from '../run-every'
import { SLICE } from './delete-in-slices'

const EVERY_MS = 60 * 60_000
/** Of one run, so that a start with years of rows reads them in the course of a day. */
const MAX_SLICES = 100

/** The last row that was read, in the order in which the rows ended. */
export interface Place<Id = bigint> {
  readonly ended: string
  readonly id: Id
}

/** The last row of a slice, how many rows it has, and how many of them were deleted. */
export interface Slice<Id = bigint> extends Place<Id> {
  readonly looked: number
  readonly gone: number
}

export interface Forgotten<At> {
  readonly gone: number
  /** Where the next run continues: rows that stay are read once. */
  readonly until: At
}

/** Before the row that ended first. */
export function beginningAt<Id>(id: Id): Place<Id> {
  return { ended: '-infinity', id }
}

/** Runs a statement that reads the rows after a place, and deletes some of them, slice by slice. It returns undefined when none is left. */
export async function forgetInOrder<Id>(
  from: Place<Id>,
  forgetSlice: (after: Place<Id>) => Promise<Slice<Id> | undefined>,
  maxSlices = MAX_SLICES,
): Promise<Forgotten<Place<Id>>> {
  let [until, gone] = [from, 0]
  for (let slices = 0; slices < maxSlices; slices++) {
    const slice = await forgetSlice(until)
    if (slice === undefined) break
    gone += slice.gone
    until = { ended: slice.ended, id: slice.id }
    if (slice.looked < SLICE) break
  }
  return { gone, until }
}

/** Runs now, and then every hour, each time from where the last run ended. */
export function forgetEveryHour<At>(
  beginning: At,
  forget: (from: At) => Promise<Forgotten<At>>,
  onError: (error: unknown) => void,
): void {
  let from = beginning
  const run = async (): Promise<void> => {
    from = (await forget(from)).until
  }
  runEvery(EVERY_MS, run, onError)()
}
