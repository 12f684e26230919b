import fc from 'fast-check'
import { SEED } from './seed'

/** The number of database connections. */
const AT_ONCE = 10

/** Includes the time to shrink a failure, which could otherwise take forever. */
const MAX_MS = 60_000

/** Tries this many inputs, ten at a time. A failure is shrunk to the smallest failing input. */
export async function tryAll<Input>(
  inputs: fc.Arbitrary<Input>,
  count: number,
  one: (input: Input) => Promise<void>,
): Promise<void> {
  const groups = fc.tuple(...Array.from({ length: AT_ONCE }, () => inputs))
  const property = fc.asyncProperty(groups, async (group) => {
    // All are awaited, so that none is still running in the next group.
    const outcomes = await Promise.allSettled(group.map(one))
    for (const outcome of outcomes) if (outcome.status === 'rejected') throw outcome.reason
  })
  await fc.assert(property, {
    numRuns: Math.ceil(count / AT_ONCE),
    seed: SEED,
    interruptAfterTimeLimit: MAX_MS,
    markInterruptAsFailure: true,
  })
}
