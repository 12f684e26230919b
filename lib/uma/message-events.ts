import type { EventRecorder } from '../events/recorder'
import { isFetchError } from '../platform/net/fetch-error'
import type { GuardedAnswer, GuardedFetch, GuardedRequest } from '../platform/net/guarded-fetch'

export type { TravelRule } from '../events/types'

type Events = Pick<EventRecorder, 'record'>

/** The owner of a message, as proved by a token, a session, or our own payment, quote or invoice. */
export interface MessageOwner {
  readonly userId: string
  readonly paymentHash?: string | undefined
}

export interface UmaRequest extends GuardedRequest {
  /** Absent for messages of the VASP itself, such as a request for keys. The owner is not sent. */
  readonly owner?: MessageOwner
}

/** @throws FetchError, and nothing else. */
export type UmaFetch = (url: string, request?: UmaRequest) => Promise<GuardedAnswer>

/**
 * The purpose of a message to another VASP, by its path. The other VASP chooses the paths of callbacks and requests.
 */
function nameOf(method: string, path: string): string {
  if (path.startsWith('/.well-known/lnurlp/')) return 'address lookup sent'
  if (path === '/.well-known/lnurlpubkey') return 'key document read'
  if (path === '/.well-known/uma-configuration') return 'UMA configuration read'
  return method === 'GET' ? 'LNURL request sent' : 'UMA message sent'
}

/**
 * Records each request to another VASP with its domain, its owner and the status of the answer. Path, query and bodies
 * are not recorded: they contain payer data and addresses that are known to one VASP only.
 */
export function withEvents(fetch: GuardedFetch, events: Events): UmaFetch {
  return async (url, { owner, ...request } = {}) => {
    const startedAtMs = performance.now()
    const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: 'an invalid address', pathname: '' }
    const record = (status: number | undefined, problem?: string): void =>
      events.record({
        kind: 'uma_message',
        name: nameOf(request.method ?? 'GET', pathname),
        userId: owner?.userId,
        paymentHash: owner?.paymentHash,
        status,
        durationMs: performance.now() - startedAtMs,
        failedCheck: problem,
        summary: `to ${host}`,
      })
    try {
      const answer = await fetch(url, request)
      record(answer.status)
      return answer
    } catch (error) {
      record(undefined, isFetchError(error) ? error.problem : 'failed')
      throw error
    }
  }
}
