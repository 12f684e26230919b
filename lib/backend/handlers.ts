import type { UmaAuthVasp } from 'uma-auth-vasp'
import { answerPeer } from '../lightning/sandbox/answer-peer'
import type { Handlers } from '../platform/http/http-server'
import { makeUmaServer } from '../uma/server/server'
import type { Application } from './application'

type Ports = Parameters<typeof makeUmaServer>[0] & Pick<Application, 'sandboxNode'>

/** The request handlers on node:http: the API, the sandbox Lightning node and UMA. */
export function makeHandlers(ports: Ports, vasp: UmaAuthVasp): Handlers {
  return { vasp, lightning: (request) => answerPeer(ports.sandboxNode, request), uma: makeUmaServer(ports) }
}
