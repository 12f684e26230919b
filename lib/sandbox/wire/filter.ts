import { commandNamed, COMMANDS } from 'uma-auth-vasp'
import { EVENT_KINDS } from '../../events/types'
import type { WireFilter } from './rows'

/** Maximum length of the text to search for. */
export const LONGEST_TEXT = 100

/** The fields of the filter's form, as the URL has them. Unknown values count as absent. */
export interface WireQuery {
  /** A kind of event, or the name of a command. */
  readonly show: string
  readonly connection: string
  readonly status: string
  readonly text: string
  /** A payment hash or a request id. */
  readonly story: string
  /** Only events older than the one with this id. */
  readonly before: bigint | undefined
}

export function readWireQuery(values: Readonly<Record<string, string | string[] | undefined>>): WireQuery {
  const singleParam = (name: string): string => {
    const value = values[name]
    return typeof value === 'string' ? value.replaceAll(/[\0\p{Cs}]/gu, '').slice(0, LONGEST_TEXT) : ''
  }
  const [before, story] = [singleParam('before'), singleParam('story')]
  return {
    show: singleParam('show'),
    connection: singleParam('connection'),
    status: singleParam('status'),
    text: singleParam('text').trim(),
    story: /^[\w-]{1,64}$/.test(story) ? story : '',
    before: /^\d{1,18}$/.test(before) ? BigInt(before) : undefined,
  }
}

export function toFilter({ show, connection, status, text, story }: WireQuery): WireFilter {
  const name = commandNamed(show)
  const command = COMMANDS.find((each) => each.name === name)
  return {
    kind: EVENT_KINDS.find((kind) => kind === show),
    name: command === undefined ? undefined : `${command.method} ${command.path}`,
    connectionId: connection === '' ? undefined : connection,
    outcome: status === 'ok' || status === 'failed' ? status : undefined,
    text: text === '' ? undefined : text,
    story: story === '' ? undefined : story,
  }
}

/** The address of the list with this filter, or of its export. */
export function wireAddress(query: Partial<WireQuery>, path = '/developers/wire'): string {
  const params = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      value === undefined || value === '' ? [] : [[name, String(value)]],
    ),
  )
  return params.size === 0 ? path : `${path}?${params}`
}
