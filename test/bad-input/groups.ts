import fc from 'fast-check'
import { SEED } from './seed'

/** As many as a database has connections for. */
const AT_ONCE = 10

/** Also for making a failure smaller, which could go on for ever. */
const MAX_MS = 60_000

/** Tries so many inputs, ten at a time, as callers come; a failure is made smaller until one is left that fails. */
export async function tryAll<Input>(
  inputs: fc.Arbitrary<Input>,
  count: number,
  one: (input: Input) => Promise<void>,
): Promise<void> {
  const groups = fc.tuple(...Array.from({ length: AT_ONCE }, () => inputs))
  const property = fc.asyncProperty(groups, async (group) => {
    // Every one is waited for, so that none is left when the next group begins.
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
