import { sqlState } from './sql-state'

/** When the database last answered a statement, and when it last refused one that it could not store, or did not end it. */
export interface Answers {
  /** On the clock of `performance.now()`. Undefined before the first. */
  lastMs?: number
  lastRefusalMs?: number
}

/**
 * SQLSTATE classes and codes of a database that cannot store: no room, memory or connection (53), a failing disk (58), no right to
 * write (42501), read-only (25006). PostgreSQL reports a disk that the system has made read-only as 42501.
 */
const REFUSAL = /^(?:53|58|42501|25006)/
/**
 * The driver's message after `query_timeout`. The server ends a statement earlier (`statement_timeout`), but not a commit that waits
 * for a synchronous standby.
 */
const NO_ANSWER = 'Query read timeout'

/** Takes the error of a statement as an answer, if the database sent it. Without a SQLSTATE, the driver failed. */
export function noteFailure(answers: Answers, error: unknown, atMs: number): void {
  const state = sqlState(error)
  if (error instanceof Error && error.message === NO_ANSWER) answers.lastRefusalMs = atMs
  if (state === undefined) return
  answers.lastMs = atMs
  if (REFUSAL.test(state)) answers.lastRefusalMs = atMs
}
