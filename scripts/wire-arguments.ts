import { EventsRequest, MAX_REPLY } from '../lib/events/operator'
import { WIRE } from './operator-options'
import { numberOption, parseCommandLine } from './options'

export interface WireArguments {
  readonly request: EventsRequest
  readonly json: boolean
  readonly follow: boolean
}

const DEFAULT_LIMIT = '50'

/** @throws Error that names the option that is wrong. */
export function readWireArguments(args: readonly string[]): WireArguments {
  const { user, limit: text = DEFAULT_LIMIT, json = false, follow = false } = parseCommandLine(WIRE, args).values
  const limit = numberOption('limit', text, { least: 1, whole: true })
  if (limit > MAX_REPLY) throw new Error(`--limit takes at most ${MAX_REPLY}.`)
  const request = EventsRequest.safeParse({ ...(user !== undefined && { user }), limit })
  if (!request.success) throw new Error('--user takes a user name: 1 to 63 of the characters a-z 0-9 _ . + -')
  return { request: request.data, json, follow }
}
