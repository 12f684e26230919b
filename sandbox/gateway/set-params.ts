import { objectOf } from '../shared/json'

/**
 * The parameters that an app has set. Clients in Go, Swift, Kotlin and Rust send a zero value for a member that they
 * leave out: `null`, `""`, `0`, `[]` or `{}`. Such a member is absent, in every command and in nested objects, and so is
 * `params` itself. No parameter of a command has another meaning for these values: an offset, a start or an end of 0 is
 * the default, and an amount or a limit of 0 is never valid. Entries of a list are kept: a TLV record may be of type 0.
 * Members below the fourth level are unchanged: no command has them. Undefined when `params` is anything but an object.
 */
export function setParams(params: unknown, levels = 4): Record<string, unknown> | undefined {
  if (isUnset(params)) return {}
  const given = objectOf(params)
  if (given === undefined) return undefined
  return Object.fromEntries(
    Object.entries(given)
      .map(([name, value]) => [name, levels > 1 ? (setParams(value, levels - 1) ?? value) : value])
      .filter(([, value]) => !isUnset(value)),
  )
}

function isUnset(value: unknown): boolean {
  if (value === null || value === undefined || value === '' || value === 0) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}
