import { resolveTarget, type Report } from 'uma-auth-conformance'
import { expect } from 'vitest'
import { startReferenceVasp } from '../reference-vasp'
import { runKit } from '../run-kit'
import type { Mutation } from './tools'

/** Runs the kit against a VASP with one mistake. */
export async function runMutation({ vasp: options, withoutGateway, exchangePath }: Mutation): Promise<Report> {
  const vasp = await startReferenceVasp(options)
  const { origin, gatewayRoot, pair } = vasp
  try {
    const target = resolveTarget({
      vasp: origin,
      jwtPublicKey: pair.publicPem,
      ...(withoutGateway === true ? {} : { gateway: gatewayRoot }),
      ...(exchangePath === undefined ? {} : { exchange: `${origin}${exchangePath}` }),
    })
    return await runKit(vasp, { target })
  } finally {
    await vasp.stop()
  }
}

export interface Verdict {
  readonly failed: readonly string[]
  /** Cases that were not run although they do not depend on a failed one. */
  readonly unexplained: readonly string[]
}

/** The failed cases, and whether every other case passed, does not apply, or depends on a failed one. */
export function verdictOf({ results }: Report): Verdict {
  const byId = new Map(results.map((result) => [result.id, result]))
  function isExplained(id: string): boolean {
    const [, cause = ''] = /^depends on ([\w.-]*\w)/.exec(byId.get(id)?.reason ?? '') ?? []
    return byId.get(cause)?.status === 'fail' || (cause !== '' && isExplained(cause))
  }
  const failed = results.filter(({ status }) => status === 'fail').map(({ id }) => id)
  const unexplained = results
    .filter(({ id, status, reason }) => status === 'not-run' && !lacksFlag(reason) && !isExplained(id))
    .map(({ id, reason }) => `${id}: ${reason}`)
  return { failed, unexplained }
}

/** Whether this kind of run leaves the case out, because it needs UMA or a missing key. */
export function lacksFlag(reason: string): boolean {
  return reason.startsWith('needs --uma') || reason.startsWith('needs --missing-key')
}

/** Runs wait more than they compute, so several run at once. */
const AT_ONCE = 8

/**
 * Asserts that each mistake fails its named cases and no others. Returns how many of them fail one case only, with every other
 * case run.
 */
export async function expectFound(mutations: readonly Mutation[]): Promise<number> {
  const queue = [...mutations]
  const wrong: unknown[] = []
  let alone = 0
  async function work(): Promise<void> {
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const report = await runMutation(mutation)
      const { failed, unexplained } = verdictOf(report)
      const { caughtBy, mistake, alsoFails = [] } = mutation
      const isRight = sorted(failed).join() === sorted([caughtBy, ...alsoFails]).join() && unexplained.length === 0
      if (!isRight) wrong.push({ caughtBy, mistake, failed, unexplained })
      const others = report.results.filter(({ status, reason }) => status === 'not-run' && !lacksFlag(reason))
      if (failed.length === 1 && others.length === 0) alone += 1
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  expect(wrong).toEqual([])
  return alone
}

function sorted(names: readonly string[]): string[] {
  return names.toSorted()
}
