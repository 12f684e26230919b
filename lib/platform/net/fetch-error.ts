/**
 * Why a fetch failed. `not-allowed`: the address may not be fetched; `busy`: too many requests are pending;
 * `unreachable`: no connection, or it broke; `late`: no whole answer in time; `answer`: one that is not read (a redirect, too
 * large, in an encoding that is not known).
 */
export type FetchProblem = 'not-allowed' | 'busy' | 'unreachable' | 'late' | 'answer'

export interface FetchError extends Error {
  readonly problem: FetchProblem
}

export function fetchError(problem: FetchProblem, message: string, cause?: unknown): FetchError {
  return Object.assign(new Error(message, { cause }), { name: 'FetchError', problem })
}

/** Told apart by name: `instanceof` does not cross the module instances of a production build. */
export function isFetchError(error: unknown): error is FetchError {
  return error instanceof Error && error.name === 'FetchError'
}
