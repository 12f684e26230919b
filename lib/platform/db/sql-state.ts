interface Shape {
  readonly code?: unknown
  readonly severity?: unknown
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: unknown }
  readonly originalCode?: unknown
}

const SQLSTATE = /^[0-9A-Z]{5}$/

/**
 * The SQLSTATE of a failure of the driver, of Prisma's models, of its raw queries or of a failed COMMIT. Error classes
 * cannot be compared, because bundling renames them. `code` is read only if `severity` is set, which the database always
 * sends: other codes look like a SQLSTATE, for example the system's EPIPE and Prisma's P2002.
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
