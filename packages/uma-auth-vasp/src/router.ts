import { COMMANDS, type Command } from './commands.ts'

/** What a path below the API base means. */
export type Match =
  | { readonly kind: 'command'; readonly command: Command; readonly params: Readonly<Record<string, string>> }
  | { readonly kind: 'exchange' }
  | { readonly kind: 'other-method'; readonly allow: string }
  | { readonly kind: 'unknown' }

const TEMPLATES = COMMANDS.map((command) => ({ command, segments: command.path.slice(1).split('/') }))

/**
 * Finds the endpoint of a path. Paths are compared exactly: no trailing slash, no other case, no doubled slash. A fixed segment
 * wins over a variable one, so `/quote/lud16` is only ever the quote request.
 */
export function matchPath(method: string, path: string): Match {
  if (path === '/token') return method === 'POST' ? { kind: 'exchange' } : { kind: 'other-method', allow: 'POST' }
  const fixed = TEMPLATES.filter(({ command }) => command.path === path)
  const segments = path.slice(1).split('/').map(decodeSegment)
  const found = fixed.length > 0 ? fixed : TEMPLATES.filter((template) => fits(template.segments, segments))
  const chosen = found.find(({ command }) => command.method === method)
  if (chosen !== undefined)
    return { kind: 'command', command: chosen.command, params: paramsOf(chosen.segments, segments) }
  if (found.length === 0) return { kind: 'unknown' }
  return { kind: 'other-method', allow: [...new Set(found.map(({ command }) => command.method))].join(', ') }
}

type Segment = string | undefined

function decodeSegment(segment: string): Segment {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

function fits(template: readonly string[], segments: readonly Segment[]): boolean {
  if (template.length !== segments.length) return false
  return template.every((part, index) => {
    const segment = segments[index]
    return part.startsWith('{') ? segment !== undefined && segment !== '' : part === segment
  })
}

function paramsOf(template: readonly string[], segments: readonly Segment[]): Record<string, string> {
  return Object.fromEntries(
    template.flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), segments[index] ?? '']] : [])),
  )
}
