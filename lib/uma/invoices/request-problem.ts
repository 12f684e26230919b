import type { RemoteFault, VaspError } from '../../platform/errors'

/**
 * Why no UMA invoice was created or delivered, as one word for the address bar: `their-…` when the VASP that should
 * receive it is at fault.
 */
export type RequestProblem = 'uma-amount' | 'unknown' | 'many' | `their-${RemoteFault}`

/** @returns undefined when this VASP is at fault. */
export function requestProblem({ status, options }: Pick<VaspError, 'status' | 'options'>): RequestProblem | undefined {
  if (options.theirs !== undefined) return `their-${options.theirs}`
  if (status === 404) return 'unknown'
  if (status === 429 || status === 503) return 'many'
  return status === 400 ? 'uma-amount' : undefined
}
