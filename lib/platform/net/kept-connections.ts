import http from 'node:http'
import https from 'node:https'
import type { Duplex } from 'node:stream'

/** Shorter than the five seconds after which node's own servers close a connection that is not used. */
const KEPT_MS = 4_000
const MOST_KEPT_OF_ONE_HOST = 5
/** Anybody can make us fetch from names of theirs, and nobody can make us keep more than this. */
const MOST_KEPT = 20

/** What keeps connections open for a moment after an answer, for the next request to the same origin. */
export interface KeptConnections {
  agentFor(url: URL): http.Agent
}

/**
 * A kept connection leads where it led when it was made: to the address that was checked then, for one scheme, host and port,
 * and with TLS for the certificate that was checked then. No session of TLS is kept beyond its connection, so that every
 * new one checks a certificate.
 */
export function makeKeptConnections(keptMs = KEPT_MS): KeptConnections {
  const options = { keepAlive: true, timeout: keptMs, maxFreeSockets: MOST_KEPT_OF_ONE_HOST }
  const [plain, tls] = [new http.Agent(options), new https.Agent({ ...options, maxCachedSessions: 0 })]
  const kept = (): number =>
    [plain, tls]
      .flatMap(({ freeSockets }) => Object.values(freeSockets))
      .reduce((sum, all) => sum + (all?.length ?? 0), 0)
  for (const agent of [plain, tls]) {
    const [keep, reuse] = [agent.keepSocketAlive.bind(agent), agent.reuseSocket.bind(agent)]
    agent.keepSocketAlive = (socket) => {
      // A falsy answer ends the connection.
      const isKept = kept() < MOST_KEPT && (keep(socket) as unknown as boolean)
      if (isKept) socket.once('data', endIt)
      return isKept
    }
    agent.reuseSocket = (socket, request) => {
      socket.off('data', endIt)
      reuse(socket, request)
    }
  }
  return { agentFor: ({ protocol }) => (protocol === 'https:' ? tls : plain) }
}

/** What comes while nothing is asked is no answer to what is asked next. */
function endIt(this: Duplex): void {
  this.destroy()
}

/**
 * Whether a request failed because the other side had closed the kept connection that it went out on, without a byte of an
 * answer: what a server does with a connection that nobody has used for a while.
 */
export function wasStale(sent: http.ClientRequest, error: unknown, bytesBefore: number): boolean {
  const { code } = error as { code?: unknown }
  return sent.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE') && sent.socket?.bytesRead === bytesBefore
}
