import type { EventRecorder } from '../events/recorder'
import { isFetchError } from '../platform/net/fetch-error'
import type { GuardedFetch } from '../platform/net/guarded-fetch'

type Events = Pick<EventRecorder, 'record'>

/** What a message to another VASP asks for, by its path: callback and request addresses are chosen by the other VASP. */
function nameOf(method: string, path: string): string {
  if (path.startsWith('/.well-known/lnurlp/')) return 'address look-up sent'
  if (path === '/.well-known/lnurlpubkey') return 'key document read'
  if (path === '/.well-known/uma-configuration') return 'UMA configuration read'
  return method === 'GET' ? 'LNURL request sent' : 'UMA message sent'
}

/**
 * Records each request to another VASP with its domain and the status of the answer. Path, query and bodies are not recorded: they
 * hold payer data and addresses that one VASP alone knows. No user is named, because a look-up proves no payment.
 */
export function withEvents(fetch: GuardedFetch, events: Events): GuardedFetch {
  return async (url, request) => {
    const startedAtMs = performance.now()
    const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: 'an invalid address', pathname: '' }
    const record = (status: number | undefined, problem?: string): void =>
      events.record({
        kind: 'uma_message',
        name: nameOf(request?.method ?? 'GET', pathname),
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
