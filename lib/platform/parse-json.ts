/** The messages read here are at most a few levels deep. */
const DEEPEST = 20
const BYTE_ORDER_MARK = '\uFEFF'

/**
 * Parses JSON from another party. Undefined for invalid JSON, for text that PostgreSQL cannot store (NUL, a lone
 * surrogate), and for deep nesting, which could exhaust the stack. A byte order mark before the JSON is ignored (RFC 8259, 8.1).
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text)
    return canBeKept(value, DEEPEST) ? value : undefined
  } catch {
    return undefined
  }
}

function canBeKept(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return !/[\0\p{Cs}]/u.test(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth === 0) return false
  return Object.entries(value).every(([key, inner]) => canBeKept(key, 0) && canBeKept(inner, depth - 1))
}
