import http from 'node:http'
import https from 'node:https'

/** Shorter than the five seconds after which Node's own servers close an idle connection. */
const MAX_IDLE_MS = 4_000
const MAX_IDLE_PER_HOST = 5
/**
 * Any client can make this server fetch from hosts of the client's choice, so the idle connections of all hosts
 * together are bounded.
 */
const MAX_IDLE = 20

/** Chooses the connection for a request. */
export interface KeepAlive {
  /** The agent that keeps the connection open for the next request to the same scheme, host and port. False: a new connection. */
  agentFor(url: URL): http.Agent | false
}

/**
 * A reused connection keeps the address and the certificate that were checked when it was opened. TLS sessions are not
 * reused for new connections, so that the certificate is checked on each new connection.
 */
export function makeKeepAlive(maxIdleMs = MAX_IDLE_MS): KeepAlive {
  const options = { keepAlive: true, timeout: maxIdleMs, maxFreeSockets: MAX_IDLE_PER_HOST }
  const [plain, tls] = [new http.Agent(options), new https.Agent({ ...options, maxCachedSessions: 0 })]
  const idle = (): number => [plain, tls].flatMap(({ freeSockets }) => Object.values(freeSockets).flat()).length
  return {
    agentFor({ protocol }) {
      if (idle() >= MAX_IDLE) return false
      return protocol === 'https:' ? tls : plain
    },
  }
}
