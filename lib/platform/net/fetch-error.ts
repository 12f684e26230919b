/**
 * Why a fetch failed. `not-allowed`: the address may not be fetched. `busy`: too many requests are pending.
 * `unreachable`: no connection, or it broke. `late`: no complete answer in time. `answer`: an answer that is not read
 * (because it redirects, is too large or is in an unknown encoding), or a switch to another protocol.
 */
export type FetchProblem = 'not-allowed' | 'busy' | 'unreachable' | 'late' | 'answer'

export interface FetchError extends Error {
  readonly problem: FetchProblem
  /** The limit in bytes that an answer exceeds. */
  readonly maxBytes?: number
}

export function fetchError(problem: FetchProblem, message: string, cause?: unknown): FetchError {
  return Object.assign(new Error(message, { cause }), { name: 'FetchError', problem })
}

/** The answer is larger than the caller reads. */
export function tooLargeAnswer(maxBytes: number): FetchError {
  return Object.assign(fetchError('answer', `the answer is larger than ${maxBytes / 1024} kB`), { maxBytes })
}

/** Compares names, because `instanceof` does not work across the module instances of a production build. */
export function isFetchError(error: unknown): error is FetchError {
  return error instanceof Error && error.name === 'FetchError'
}
