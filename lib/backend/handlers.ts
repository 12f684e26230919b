import type { UmaAuthVasp } from 'uma-auth-vasp'
import { answerPeer } from '../lightning/sandbox/answer-peer'
import { PATHS } from '../lightning/sandbox/messages'
import { BASE_HEADERS } from '../platform/http/base-headers'
import type { Handlers } from '../platform/http/http-server'
import { makeUmaServer } from '../uma/server/server'
import type { Application } from './application'

type Ports = Parameters<typeof makeUmaServer>[0] & Pick<Application, 'sandboxNode' | 'events' | 'faults'>

/** The request handlers on node:http: the API, the sandbox Lightning node and UMA. */
export function makeHandlers(ports: Ports, vasp: UmaAuthVasp): Handlers {
  return {
    vasp,
    api: ports.faults?.nodeHandler(vasp, { headers: BASE_HEADERS }),
    lightning: (request) => answerAndRecord(ports, request),
    uma: makeUmaServer(ports),
  }
}

/** No user is named: the message of a peer proves no payment of ours before it is booked. */
async function answerAndRecord({ sandboxNode, events }: Ports, request: Request): Promise<Response> {
  const startedAtMs = performance.now()
  const response = await answerPeer(sandboxNode, request)
  const path = new URL(request.url).pathname
  const action = Object.entries(PATHS).find(([, each]) => each === path)?.[0]
  events.record({
    kind: 'lightning_message',
    name: action === undefined ? 'unknown Lightning path' : `peer message received: ${action}`,
    status: response.status,
    durationMs: performance.now() - startedAtMs,
  })
  return response
}
