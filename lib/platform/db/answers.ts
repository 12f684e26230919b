import { sqlState } from './sql-state'

/** When the database last answered a statement, and when it last refused one that it could not store. */
export interface Answers {
  /** On the clock of `performance.now()`. Undefined before the first. */
  readonly lastMs: number | undefined
  readonly lastRefusalMs: number | undefined
}

/**
 * SQLSTATE classes and codes of a database that cannot store: no room, memory or connection (53), a failing disk (58), no right to
 * write (42501), read-only (25006). PostgreSQL reports a disk that the system has made read-only as 42501.
 */
const REFUSAL = /^(?:53|58|42501|25006)/

/** Watches the statements of a database. Pass `note` the error of each statement, or nothing for a result. */
export function watchAnswers(): Answers & { readonly note: (error?: unknown) => void } {
  let [lastMs, lastRefusalMs]: (number | undefined)[] = []
  return {
    get lastMs() {
      return lastMs
    },
    get lastRefusalMs() {
      return lastRefusalMs
    },
    note(error) {
      const state = error === undefined ? '' : sqlState(error)
      // Without a SQLSTATE, the driver failed and not the database.
      if (state === undefined) return
      lastMs = performance.now()
      if (REFUSAL.test(state)) lastRefusalMs = lastMs
    },
  }
}
