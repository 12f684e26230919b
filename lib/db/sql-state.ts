interface Shape {
  readonly code?: unknown
  readonly cause?: { readonly originalCode?: unknown; readonly code?: unknown }
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: { readonly originalCode?: unknown } } }
}

/**
 * The SQLSTATE of a failure, wherever it came from: the driver, Prisma's models, its raw queries or a failed COMMIT.
 * Classes cannot be asked, because bundling renames them.
 */
export function sqlState(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined
  const { code, cause, meta } = error as Shape
  const candidates = [meta?.driverAdapterError?.cause?.originalCode, cause?.originalCode, code, cause?.code]
  return candidates.find(
    (each): each is string => typeof each === 'string' && /^[0-9A-Z]{5}$/.test(each) && !/^P\d{4}$/.test(each),
  )
}
