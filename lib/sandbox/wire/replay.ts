import type { Command } from 'uma-auth-vasp'
import type { EventKind, FullEvent } from '../../events/types'
import { EFFECTS, type Effect } from '../api-reference/effects'
import { isMasked, readFacts } from './details'
import { commandOf } from './reference'

/** A stored call that can be sent again. */
export interface ReplayPlan {
  readonly eventId: bigint
  readonly connectionId: string
  readonly command: Command
  readonly effect: Effect
  /** Path and query. */
  readonly url: string
  /** JSON */
  readonly body: string | undefined
}

/** Why a call cannot be sent again, in a sentence. */
export interface NoReplay {
  readonly reason: string
}

/** Kinds of events that are messages, not calls of a connection. */
const NO_CALLS: Readonly<Partial<Record<EventKind, string>>> = {
  token_exchange:
    'A token exchange cannot be replayed: it needs the token of a new login, and each exchange creates a connection.',
  login:
    'A login cannot be replayed: it begins in the user’s browser, with a request from the gateway. Start a new login at the gateway.',
  uma_message: 'A UMA message cannot be replayed: it is signed, and its nonce is accepted only once.',
  lightning_message:
    'A Lightning message cannot be replayed: it belongs to one payment, and the receiving node answers it only once.',
}

const NOT_STORED = 'This call cannot be replayed:'

/**
 * Reads from a stored event how to send its call again. Undefined for an event that is neither a call nor a message.
 * @param username only the owner of a call can replay it.
 */
export function planReplay(event: FullEvent, username: string): ReplayPlan | NoReplay | undefined {
  const { id, kind, name, userId, connectionId, detail } = event
  if (kind !== 'api_call') {
    const reason = NO_CALLS[kind]
    return reason === undefined ? undefined : { reason }
  }
  const command = commandOf(name)
  if (command === undefined) return { reason: `${NOT_STORED} its path is not a command of this API.` }
  if (userId !== username)
    return {
      reason: 'Only the user who made a call can replay it. This call had no valid token, so its user is not known.',
    }
  if (connectionId === null)
    return { reason: `${NOT_STORED} it was sent with a login token. A replay acts as a connection.` }
  const { path, query = {}, isWholeAddress } = readFacts(detail)
  if (path === undefined || isWholeAddress !== true || isAltered(JSON.stringify([path, query])))
    return { reason: `${NOT_STORED} a part of its address was not stored, so a replay would be a different request.` }
  const body = command.method === 'POST' ? detail.request : undefined
  if (command.method === 'POST' && body === undefined)
    return {
      reason: `${NOT_STORED} its body is not stored. The call had no body, or was refused before its body was read.`,
    }
  if (body !== undefined && isAltered(body))
    return {
      reason: `${NOT_STORED} its stored body is not the body that was sent. Secrets and personal data are masked, and long bodies are cut.`,
    }
  const parameters = new URLSearchParams(query).toString()
  return {
    eventId: id,
    connectionId,
    command,
    effect: EFFECTS[command.name],
    url: parameters === '' ? path : `${path}?${parameters}`,
    body,
  }
}

export function canReplay(plan: ReplayPlan | NoReplay | undefined): plan is ReplayPlan {
  return plan !== undefined && 'command' in plan
}

/** Whether masking or storing has changed the text. U+FFFD replaces a character that the database cannot store. */
function isAltered(text: string): boolean {
  return isMasked(text) || text.includes('\uFFFD')
}
