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

/** Whether a repetition may succeed: the database does not answer, or cannot do this now. */
export function isTemporary(error: unknown): boolean {
  const state = sqlState(error)
  const text = error instanceof Error ? `${(error as NodeJS.ErrnoException).code ?? ''} ${error.message}` : ''
  return (state !== undefined && NOT_NOW.test(state)) || NO_CONNECTION.test(text)
}

/**
 * Waits for a write that the request does not need, such as when a connection was last used. While the database stores
 * nothing, what only reads goes on.
 * @throws an error that is not temporary.
 */
export async function writeIfPossible(write: Promise<unknown>): Promise<void> {
  try {
    await write
  } catch (error) {
    if (!isTemporary(error)) throw error
  }
}

/** Turns an unexpected failure into a fixed text for the caller. The cause goes to the log only. */
export function describeFailure(error: unknown): VaspError {
  if (isTemporary(error)) {
    return new VaspError(503, 'INTERNAL', 'The service is not available right now. Try again in a moment.', {
      cause: error,
      headers: { 'Retry-After': RETRY_SECONDS },
    })
  }
  return new VaspError(500, 'INTERNAL', 'Something went wrong on our side.', { cause: error })
}
