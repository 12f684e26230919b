import type { Command } from 'uma-auth-vasp'
import { z } from 'zod'
import type { StoredDetail } from '../../events/types'
import { withHiddenEscaped } from '../../platform/visible-text'

const MASKED = ['[masked]', '[not stored', '[not a number]', '[nested too deeply]', '[not JSON, ']
const CUT = / \[\d+ characters in all\]$/

/** Facts of a stored call. A malformed field counts as absent: the table keeps what earlier versions wrote. */
const Facts = z.object({
  method: z.string().optional().catch(undefined),
  path: z.string().optional().catch(undefined),
  query: z.record(z.string(), z.string()).optional().catch(undefined),
  claims: z
    .object({
      use: z.enum(['login', 'connection']),
      id: z.string(),
      userId: z.string(),
      scope: z.array(z.string()),
      expiresAtSeconds: z.number().optional(),
    })
    .optional()
    .catch(undefined),
  bearerFault: z.string().optional().catch(undefined),
  redirectOrigin: z.string().optional().catch(undefined),
  gatewayOrigin: z.string().optional().catch(undefined),
})
export type EventFacts = z.infer<typeof Facts>

export function readFacts({ facts }: StoredDetail): EventFacts {
  return Facts.parse(facts ?? {})
}

/**
 * JSON with one field on each line, also where a list is stored without its last entries. Text that is not JSON, or was cut in the
 * middle of a field, stays as it is, except for hidden characters.
 */
export function prettyJson(text: string): string {
  const [note = ''] = CUT.exec(text) ?? []
  try {
    const json: unknown = JSON.parse(text.slice(0, text.length - note.length))
    return withHiddenEscaped(JSON.stringify(json, null, 2)) + note
  } catch {
    return withHiddenEscaped(text)
  }
}

/** Whether parts of a stored body were replaced or cut, so that it differs from what the client sent. */
export function isMasked(text: string): boolean {
  return MASKED.some((mark) => text.includes(mark)) || CUT.test(text)
}

/**
 * The call as a command line, with the token in `$TOKEN`. Parameters whose value was not stored are left out.
 * @returns undefined for an event that is not an HTTP call.
 */
export function curlOf(
  publicOrigin: string,
  { method, path, query = {} }: EventFacts,
  request: string | undefined,
): string | undefined {
  if (method === undefined || path === undefined) return undefined
  const params = new URLSearchParams(Object.entries(query).filter(([, value]) => value !== '[not stored]'))
  const url = `${publicOrigin}${path}${params.size === 0 ? '' : `?${params}`}`
  return [
    'curl',
    ...(method === 'GET' ? [] : [`-X ${quoted(method)}`]),
    quoted(url),
    '-H "Authorization: Bearer $TOKEN"',
    ...(request === undefined ? [] : [`-H 'Content-Type: application/json'`, `-d ${quoted(request)}`]),
  ].join(' ')
}

/** One word for a POSIX shell. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

/**
 * What an app receives over NWC (NIP-47) when the gateway passes on the VASP's answer.
 * @returns undefined when no app receives an answer: no stored response, or one that was cut.
 */
export function nip47Reply({ name }: Pick<Command, 'name'>, status: number, response = ''): string | undefined {
  let body: unknown
  try {
    body = JSON.parse(response)
  } catch {
    return undefined
  }
  const shown = (reply: object): string => withHiddenEscaped(JSON.stringify({ result_type: name, ...reply }, null, 2))
  if (status === 200) return shown({ result: body })
  const { code, message } = z.object({ code: z.string(), message: z.string() }).partial().catch({}).parse(body)
  return shown({ error: { code: code ?? 'OTHER', message: message ?? '' } })
}

/** Part of an origin, and whether it differs from the same part of another origin. */
export interface OriginPart {
  readonly text: string
  readonly differs: boolean
}

/** Scheme, host and port of an origin, compared with another one. */
export function compareOrigins(origin: string, other: string): readonly OriginPart[] {
  if (origin === other) return [{ text: origin, differs: false }]
  const [own, theirs] = [partsOf(origin), partsOf(other)]
  if (own === undefined || theirs === undefined) return [{ text: origin, differs: true }]
  return own.map((text, index) => ({ text, differs: text !== theirs[index] })).filter(({ text }) => text !== '')
}

function partsOf(origin: string): readonly string[] | undefined {
  if (!URL.canParse(origin)) return undefined
  const { protocol, hostname, port } = new URL(origin)
  return [`${protocol}//`, hostname, port === '' ? '' : `:${port}`]
}

/** The position of a moment between two others, from 0 to 1. */
export function shareOfTime(at: Date, from: Date, until: Date): number {
  const length = until.getTime() - from.getTime()
  return length <= 0 ? 1 : Math.min(1, Math.max(0, (at.getTime() - from.getTime()) / length))
}
