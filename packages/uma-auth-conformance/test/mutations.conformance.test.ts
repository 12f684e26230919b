import { describe, expect, it } from 'vitest'
import { CASES } from 'uma-auth-conformance'
import { MUTATIONS } from './mutations'
import { runMutation, verdictOf } from './mutations/run'
import type { Mutation } from './mutations/tools'

/** Runs wait more than they compute. */
const AT_ONCE = 8

const sorted = (names: readonly string[]): string[] => names.toSorted()

describe('the planted mistakes', () => {
  it('are found by at least 60 cases, and 45 by one case alone', () => {
    const found = new Set(MUTATIONS.map(({ caughtBy }) => caughtBy))
    const ids = CASES.map(({ id }) => id)
    expect([...found].filter((id) => !ids.includes(id))).toEqual([])
    expect(found.size).toBeGreaterThanOrEqual(60)
    expect(MUTATIONS.filter(({ alsoFails = [] }) => alsoFails.length === 0).length).toBeGreaterThanOrEqual(45)
  })

  it('fail the named case, and no case that is not named', async () => {
    const queue = [...MUTATIONS]
    const wrong: unknown[] = []
    let alone = 0
    async function work(): Promise<void> {
      for (let mutation: Mutation | undefined = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
        const report = await runMutation(mutation)
        const { failed, unexplained } = verdictOf(report)
        const { caughtBy, mistake, alsoFails = [] } = mutation
        const isRight = sorted(failed).join() === sorted([caughtBy, ...alsoFails]).join() && unexplained.length === 0
        if (!isRight) wrong.push({ caughtBy, mistake, failed, unexplained })
        const others = report.results.filter(({ status, reason }) => status === 'not-run' && reason !== 'needs --uma')
        if (failed.length === 1 && others.length === 0) alone += 1
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    expect(wrong).toEqual([])
    expect(alone).toBeGreaterThanOrEqual(45)
  })
})
