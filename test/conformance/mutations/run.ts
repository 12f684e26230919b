import { resolveTarget, type Report } from 'uma-auth-conformance'
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
