/** No message that is read here is nested deeper than a few steps. */
const DEEPEST = 20

/**
 * JSON that somebody else wrote; undefined for what is none, and for what could be read and not be written again: text that no
 * database keeps (NUL, half of a surrogate pair), and nesting that takes all of the stack.
 */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
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
