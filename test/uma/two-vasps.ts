import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { makeHandlers } from '@/lib/backend/handlers'
import { nodePublicKey } from '@/lib/lightning/node-key'
import type { Database } from '@/lib/platform/db/database'
import { makeListener, type Listener } from '@/lib/platform/http/http-server'
import { newKeyPair, newNodeSecret } from '../vasp/keys'
import { makeTestVasp, type TestVasp } from '../vasp/vasp'

/** A VASP with its HTTP server. */
export interface ServedVasp extends TestVasp {
  readonly domain: string
  readonly origin: string
}

export interface TwoVasps {
  readonly north: ServedVasp
  readonly south: ServedVasp
  stop(): Promise<void>
}

/** Two VASPs that are peers of each other, each behind the HTTP server of a production process. */
export async function startTwoVasps(
  northDb: Database,
  southDb: Database,
  more: Readonly<Record<string, string>> = {},
): Promise<TwoVasps> {
  const [northSocket, southSocket] = [await openSocket(), await openSocket()]
  const [northSecret, southSecret] = [newNodeSecret(), newNodeSecret()]
  const make = async (db: Database, own: Socket, ownSecret: string, other: Socket, otherSecret: string) => {
    const env = {
      VASP_DOMAIN: own.domain,
      LIGHTNING_NODE_KEY: ownSecret,
      LIGHTNING_PEERS: `${nodePublicKey(otherSecret)}@http://${other.domain}`,
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
      UMA_LOCAL_PEERS: other.domain,
      ...more,
    }
    const vasp = await makeTestVasp(db, env, newKeyPair())
    own.answerBy = makeListener(vasp.app, { ...makeHandlers(vasp.app, vasp.auth), rejectionPage: () => undefined })(
      (request, response) => {
        // In a real process Next answers this request.
        const isConfiguration = request.url === '/.well-known/uma-configuration'
        response.writeHead(isConfiguration ? 200 : 404, { 'Content-Type': 'application/json' })
        response.end(isConfiguration ? JSON.stringify(vasp.auth.discovery()) : '{}')
      },
    )
    return { ...vasp, domain: own.domain, origin: `http://${own.domain}` }
  }
  const north = await make(northDb, northSocket, northSecret, southSocket, southSecret)
  const south = await make(southDb, southSocket, southSecret, northSocket, northSecret)
  return {
    north,
    south,
    async stop() {
      await Promise.all([north, south].map(({ app }) => app.paymentWorker.stop()))
      for (const { server } of [northSocket, southSocket]) {
        server.closeAllConnections()
        server.close()
      }
    },
  }
}

interface Socket {
  readonly server: Server
  readonly domain: string
  answerBy: Listener
}

async function openSocket(): Promise<Socket> {
  const server = createServer((request, response) => void socket.answerBy(request, response)).listen(0, 'localhost')
  await once(server, 'listening')
  const domain = `localhost:${(server.address() as AddressInfo).port}`
  const socket: Socket = { server, domain, answerBy: (_request, response) => void response.writeHead(503).end() }
  return socket
}
