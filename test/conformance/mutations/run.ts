import { resolveTarget, type Report } from 'uma-auth-conformance'
import { startReferenceVasp } from '../reference-vasp'
import { runKit } from '../run-kit'
import type { Mutation } from './tools'

/** Runs the kit against a VASP with one mistake. */
export async function runMutation({
  vasp: options,
  withoutGateway,
  exchangePath,
  slow = false,
}: Mutation): Promise<Report> {
  const vasp = await startReferenceVasp(options)
  const { origin, gatewayRoot, pair } = vasp
  try {
    const target = resolveTarget({
      vasp: origin,
      jwtPublicKey: pair.publicPem,
      ...(withoutGateway === true ? {} : { gateway: gatewayRoot }),
      ...(exchangePath === undefined ? {} : { exchange: `${origin}${exchangePath}` }),
    })
    return await runKit(vasp, { target, slow })
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

/** Whether this kind of run leaves the case out, because it needs UMA, a missing key, a long wait or more steps of the recipe. */
export function lacksFlag(reason: string): boolean {
  return /^needs (?:--(?:uma|missing-key|slow)|a recipe)/.test(reason)
}

/** Runs wait more than they compute, so several run at once. */
const AT_ONCE = 8

/** What the kit found in a VASP with one mistake. */
export interface Finding {
  readonly mutation: Mutation
  readonly failed: readonly string[]
  /** `named`: the case of the table fails. `other`: only other cases do. */
  readonly foundBy: 'named' | 'other' | 'nothing'
  readonly unexplained: readonly string[]
}

/** Runs the kit once for each mistake. */
export async function findMistakes(
  mutations: readonly Mutation[],
  onFinding: (finding: Finding) => void = () => undefined,
): Promise<Finding[]> {
  const queue = [...mutations]
  const findings: Finding[] = []
  async function work(): Promise<void> {
    for (let mutation = queue.shift(); mutation !== undefined; mutation = queue.shift()) {
      const { failed, unexplained } = verdictOf(await runMutation(mutation))
      const other = failed.length > 0 ? 'other' : 'nothing'
      const foundBy = failed.includes(mutation.caughtBy) ? 'named' : other
      const finding: Finding = { mutation, failed, foundBy, unexplained }
      onFinding(finding)
      findings.push(finding)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return findings
}

/** One line of the table that `--mutants` prints. */
export function findingLine({ mutation, failed, foundBy }: Finding): string {
  const { caughtBy, mistake } = mutation
  const others = failed.filter((id) => id !== caughtBy)
  return `${foundBy.padEnd(8)} ${caughtBy.padEnd(38)} ${mistake}${others.length === 0 ? '' : ` (also: ${others.join(', ')})`}\n`
}

export function findingsSummary(findings: readonly Finding[]): string {
  const count = (by: Finding['foundBy']): number => findings.filter(({ foundBy }) => foundBy === by).length
  return `${findings.length} mistakes: ${count('named')} found by the named case, ${count('other')} by another, ${count('nothing')} not found.\n`
}
