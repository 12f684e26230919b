import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import {
  Agent,
  createServer,
  request as send,
  type IncomingHttpHeaders,
  type RequestListener,
  type Server,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/** A reverse proxy like one that an operator puts in front of several instances. */
export interface ReadyProxy {
  readonly port: number
  /** `https` with a certificate, otherwise `http`, at `localhost`. */
  readonly origin: string
  /** The certificate that clients have to trust, in PEM. */
  readonly certificate: string | undefined
  /** How many requests were passed on. */
  passed(): number
  /** Resolves when this instance is in rotation. */
  seesReady(port: number): Promise<void>
  stop(): Promise<void>
}

export interface ReadyProxyOptions {
  /** Terminates TLS with its own certificate for `localhost` and these names. */
  readonly tlsFor?: readonly string[]
  /** A free port by default. */
  readonly port?: number
  /** How long after one poll of `/-/ready` the next one begins. */
  readonly pollMs?: number
}

/**
 * Passes each request once, to the next of the instances whose `/-/ready` was 200 at the last poll. It never repeats a
 * request: without an instance, and after a broken connection, it answers 502.
 * @param ports of the instances, on loopback. Each is in rotation from its first 200 on.
 */
export async function startReadyProxy(ports: readonly number[], options: ReadyProxyOptions = {}): Promise<ReadyProxy> {
  const pair = options.tlsFor === undefined ? undefined : newCertificate(['localhost', ...options.tlsFor])
  const polling = pollReady(ports, options.pollMs ?? 500)
  const agent = new Agent({ keepAlive: true })
  let passed = 0

  const pass: RequestListener = (incoming, outgoing) => {
    const inRotation = ports.filter((port) => polling.ready.has(port))
    const port = inRotation[passed++ % inRotation.length]
    const fail = (): void => {
      if (outgoing.headersSent) outgoing.destroy()
      else outgoing.writeHead(502).end()
    }
    if (port === undefined) return fail()
    const { method, url: path, socket } = incoming
    const headers = {
      ...endToEnd(incoming.headers),
      // These replace what the client claims about itself.
      'x-forwarded-for': socket.remoteAddress ?? '',
      'x-forwarded-proto': pair === undefined ? 'http' : 'https',
    }
    const request = send({ host: '127.0.0.1', port, method, path, headers, agent })
    request.on('response', (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers))
      answer.on('error', fail).pipe(outgoing)
    })
    request.on('error', fail)
    outgoing.on('close', () => request.destroy())
    incoming.pipe(request)
  }

  const server: Server = pair === undefined ? createServer(pass) : createTlsServer(pair, pass)
  server.listen(options.port ?? 0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `${pair === undefined ? 'http' : 'https'}://localhost:${port}`,
    certificate: pair?.cert,
    passed: () => passed,
    seesReady: (target) => polling.seesReady(target),
    async stop() {
      polling.stop()
      agent.destroy()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

/** All headers except the hop-by-hop ones. */
function endToEnd({
  connection: _connection,
  'keep-alive': _idle,
  ...headers
}: IncomingHttpHeaders): IncomingHttpHeaders {
  return headers
}

interface Polling {
  readonly ready: ReadonlySet<number>
  seesReady(port: number): Promise<void>
  stop(): void
}

function pollReady(ports: readonly number[], pollMs: number): Polling {
  const ready = new Set<number>()
  const stopping = new AbortController()
  const pollOne = async (port: number): Promise<void> => {
    while (!stopping.signal.aborted) {
      const answer = await fetch(`http://127.0.0.1:${port}/-/ready`).catch(() => undefined)
      await answer?.body?.cancel()
      if (answer?.status === 200) ready.add(port)
      else ready.delete(port)
      await sleep(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }
  for (const port of ports) void pollOne(port)
  return {
    ready,
    async seesReady(port) {
      while (!ready.has(port)) await sleep(50)
    },
    stop: () => stopping.abort(),
  }
}

interface CertificatePair {
  readonly key: string
  readonly cert: string
}

/** A self-signed certificate for these names and 127.0.0.1. */
function newCertificate(names: readonly string[]): CertificatePair {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-certificate-'))
  try {
    const [keyFile, certFile] = [join(folder, 'key.pem'), join(folder, 'cert.pem')]
    const subjects = ['IP:127.0.0.1', ...names.map((name) => `DNS:${name}`)].join(',')
    const kind = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes'.split(' ')
    const what = ['-days', '1', '-subj', '/CN=ready-proxy', '-addext', `subjectAltName=${subjects}`]
    execFileSync('openssl', ['req', '-x509', ...kind, '-keyout', keyFile, '-out', certFile, ...what], { stdio: 'pipe' })
    return { key: readFileSync(keyFile, 'utf8'), cert: readFileSync(certFile, 'utf8') }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
