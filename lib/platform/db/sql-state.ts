interface Shape {
  readonly code?: unknown
  readonly severity?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
  readonly originalCode?: unknown
}

const SQLSTATE = /^[0-9A-Z]{5}$/

/**
 * The SQLSTATE of a failure, wherever it came from: the driver, Prisma's models, its raw queries or a failed COMMIT.
 * Classes cannot be asked, because bundling renames them. `code` counts only beside the `severity` that the database
 * always sends: the system's EPIPE and Prisma's P2002 have five letters too, and P0001 is a SQLSTATE.
 */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, severity, cause, meta, originalCode } = error as Shape
  if (isSqlState(originalCode)) return originalCode
  if (typeof severity === 'string' && isSqlState(code)) return code
  return sqlState(meta?.driverAdapterError) ?? sqlState(cause)
}

function isSqlState(value: unknown): value is string {
  return typeof value === 'string' && SQLSTATE.test(value)
}
