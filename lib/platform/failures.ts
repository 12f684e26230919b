import { sqlState } from './db/sql-state'
import { VaspError } from './errors'

/**
 * SQLSTATE classes and codes of temporary failures: connection, resources, operator intervention, timeouts, conflicts.
 */
const NOT_NOW = /^(08|53|57|58|40001|40P01|55P03|25006)/
/** Messages of the driver, the system and Prisma (P1001 and similar) when no connection was possible. */
const NO_CONNECTION =
  /timeout exceeded when trying to connect|Query read timeout|Connection terminated|ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|PGlite is closed|^P10(01|02|08|17) /

const RETRY_SECONDS = '5'

/** Turns an unexpected failure into a fixed text for the caller. The cause goes to the log only. */
export function describeFailure(error: unknown): VaspError {
  const state = sqlState(error)
  const text = error instanceof Error ? `${(error as NodeJS.ErrnoException).code ?? ''} ${error.message}` : ''
  if ((state !== undefined && NOT_NOW.test(state)) || NO_CONNECTION.test(text)) {
    return new VaspError(503, 'INTERNAL', 'The service is not available right now. Try again in a moment.', {
      cause: error,
      headers: { 'Retry-After': RETRY_SECONDS },
    })
  }
  return new VaspError(500, 'INTERNAL', 'Something went wrong on our side.', { cause: error })
}
