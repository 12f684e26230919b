import type { UmaAuthVasp } from 'uma-auth-vasp'
import { answerPeer } from '../lightning/answer-peer'
import { BASE_HEADERS } from '../platform/http/base-headers'
import { makeAnswerHealth } from '../platform/http/health'
import type { Handlers } from '../platform/http/http-server'
import { makeUmaServer } from '../uma/server/server'
import type { Application } from './application'
import { makeAnswerDocument } from './documents'
import { asksAsOperator } from './operator'

type Ports = Parameters<typeof makeUmaServer>[0] &
  Parameters<typeof makeAnswerHealth>[0] &
  Pick<Application, 'simulatedNode' | 'faults' | 'events' | 'log' | 'settings' | 'clock'>

/** The request handlers on node:http: the API, its documents, the simulated Lightning node, UMA and health checks. */
export function makeHandlers(ports: Ports, vasp: UmaAuthVasp): Omit<Handlers, 'rejectionPage'> {
  return {
    vasp,
    api: ports.faults?.nodeHandler(vasp, { headers: BASE_HEADERS }),
    lightning: (request) => answerPeer(ports.simulatedNode, request),
    uma: makeUmaServer(ports),
    health: makeAnswerHealth(ports, (authorization) => asksAsOperator(ports, authorization)),
    document: makeAnswerDocument(ports, vasp),
  }
}
