import fc from 'fast-check'

/** The number of database connections. */
const AT_ONCE = 10

/** How long a failure is shrunk, which could otherwise take forever. The search itself has no time limit. */
const SHRINK_MS = 60_000

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
  const numRuns = Math.ceil(count / AT_ONCE)
  const first = await fc.check(property, { numRuns, endOnFailure: true })
  if (!first.failed) return
  const path = first.counterexamplePath ?? ''
  await fc.assert(property, { numRuns, path, interruptAfterTimeLimit: SHRINK_MS })
  // Failed once and passed when it was repeated.
  throw new Error(fc.defaultReportMessage(first), { cause: first.errorInstance })
}
