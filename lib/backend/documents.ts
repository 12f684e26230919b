import type { UmaAuthVasp } from 'uma-auth-vasp'
import { DISCOVERY_PATH, makeTextDocument, type AnswerDocument } from '../platform/http/documents'
import { singleton } from '../platform/process-singletons'
import type { Application } from './application'

const RECORD_EVERY_MS = 60_000

/** The discovery document and the OpenAPI document. */
export function makeAnswerDocument(
  { settings, events, log }: Pick<Application, 'settings' | 'events' | 'log'>,
  vasp: Pick<UmaAuthVasp, 'api' | 'handle'>,
): AnswerDocument {
  const openApi = async (): Promise<ReturnType<typeof makeTextDocument>> => {
    // Loaded for the first reader: most servers have none.
    const { ownOpenApiDocument } = await import('./openapi')
    return makeTextDocument(JSON.stringify(ownOpenApiDocument(vasp, settings)))
  }
  let built: ReturnType<typeof openApi> | undefined
  return async (path, request) => {
    if (path === DISCOVERY_PATH) {
      const { status, headers, text } = await vasp.handle(request)
      if (request.method !== 'OPTIONS') recordDiscovery(events, status)
      return { status, headers, body: text }
    }
    try {
      return (await (built ??= openApi()))(request)
    } catch (error) {
      built = undefined
      log.error({ error }, 'request failed')
      return { status: 500, headers: {}, body: '' }
    }
  }
}

/** One event a minute, because any client may read the document. */
function recordDiscovery(events: Application['events'], status: number): void {
  const last = singleton('discovery event', () => ({ atMs: -RECORD_EVERY_MS }))
  const nowMs = performance.now()
  if (nowMs - last.atMs < RECORD_EVERY_MS) return
  last.atMs = nowMs
  events.record({ kind: 'discovery', name: 'UMA Auth configuration read', status })
}
