import { application } from '@/lib/backend/application'
import { protocol } from '@/lib/backend/protocol'
import { singleton } from '@/lib/platform/process-singletons'

export const dynamic = 'force-dynamic'

const RECORD_EVERY_MS = 60_000

export async function GET(request: Request): Promise<Response> {
  const response = await protocol().fetch(request)
  recordDiscovery(response.status)
  return response
}

export function OPTIONS(request: Request): Promise<Response> {
  return protocol().fetch(request)
}

/** One event a minute, because any client may read the document. */
function recordDiscovery(status: number): void {
  const last = singleton('discovery event', () => ({ atMs: -RECORD_EVERY_MS }))
  const nowMs = performance.now()
  if (nowMs - last.atMs < RECORD_EVERY_MS) return
  last.atMs = nowMs
  application().events.record({ kind: 'discovery', name: 'UMA Auth configuration read', status })
}
