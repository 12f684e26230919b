import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'playwright/test'
import { auditCredential } from '../../lib/audit/ask'
import { fetchToken } from '../../sandbox/fetch-token'
import { ensureSettings } from '../../sandbox/settings'
import { freePort } from '../../test/processes/free-port'
import { migratedDataDir } from '../../test/databases/migrated'
import { startStack } from '../../test/stack/stack'
import { createHash, randomBytes } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import { makeNodeKey } from '@/lib/lightning/sandbox/keys'
import { PATHS } from '@/lib/lightning/sandbox/messages'
import { HEADERS, answerText } from '@/lib/lightning/sandbox/signature'
import { newNodeSecret } from '@/test/vasp/keys'

/** A node that a VASP pays. It receives every payment and answers when the test tells it to. It pays no one. */
interface Peer {
  /** The node as an entry of `LIGHTNING_PEERS`. */
  readonly setting: string
  invoice(amountMsats: bigint): string
  /** Calls that asked it to receive a payment. */
  readonly pays: () => number
  /** From now on it receives calls and does not answer them. */
  hush(): void
  /** Calls without an answer whose callers are still waiting. */
  readonly waiting: () => number
  /** Answers the oldest of the waiting calls. */
  answerSome(count: number): void
  /** From now on it answers immediately; calls that are waiting get no answer. */
  speak(): void
  stop(): void
}

async function startPeer(): Promise<Peer> {
  const secretHex = newNodeSecret()
  const key = makeNodeKey(secretHex)
  const preimages = new Map<string, string>()
  const waiting = new Set<() => void>()
  let silent = false
  let pays = 0
  const server = createHttpServer((request, response) => void answer(request, response)).listen(0, 'localhost')
  await once(server, 'listening')
  const host = `localhost:${(server.address() as AddressInfo).port}`

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of request) body += String(chunk)
    const path = request.url ?? ''
    if (path === PATHS.pay) pays += 1
    if (silent)
      await new Promise<void>((resolve) => {
        waiting.add(resolve)
        response.once('close', () => waiting.delete(resolve))
      })
    const header = (name: string): string => String(request.headers[name])
    const said = JSON.stringify(wordOn(path, body))
    const signed = {
      payer: header(HEADERS.key),
      path,
      host,
      timestamp: header(HEADERS.timestamp),
      nonce: header(HEADERS.nonce),
      body,
    }
    response.writeHead(200, { [HEADERS.signature]: key.sign(answerText(signed, 200, said)) })
    response.end(said)
  }

  function wordOn(path: string, body: string): unknown {
    if (path === PATHS.statement) return { received_msats: '0', sent_msats: '0' }
    const { payment_hash: hash } = JSON.parse(body) as { payment_hash: string }
    return { state: 'received', preimage: preimages.get(hash) }
  }

  return {
    setting: `${key.publicKeyHex}@http://${host}`,
    invoice(amountMsats) {
      const preimage = randomBytes(32)
      const paymentHash = createHash('sha256').update(preimage).digest('hex')
      preimages.set(paymentHash, preimage.toString('hex'))
      return encodeInvoice({
        network: 'regtest',
        nodeSecretHex: secretHex,
        paymentHash,
        paymentSecretHex: randomBytes(32).toString('hex'),
        amountMsats,
        description: 'a thing from afar',
        descriptionHash: undefined,
        createdAtSeconds: Math.floor(Date.now() / 1000),
        expirySeconds: 3_600,
      })
    },
    pays: () => pays,
    waiting: () => waiting.size,
    hush: () => void (silent = true),
    answerSome(count) {
      for (const resolve of [...waiting].slice(0, count)) {
        waiting.delete(resolve)
        resolve()
      }
    },
    speak: () => void (silent = false),
    stop() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const OPEN = 20
const SATS = 1_000n
const OPENING_SATS = 250_000
/** How many of the twenty payments finish while the server waits for them. */
const END_IN_TIME = 5

test('on SIGTERM with twenty open payments, the server accepts no new ones, waits at most half a minute, and finishes the rest at its next start', async () => {
  const peer = await startPeer()
  const stack = await startStack({ LIGHTNING_PEERS: peer.setting, PAYMENT_WAIT_SECONDS: '3600' })
  const { vaspOrigin } = stack
  try {
    const token = await fetchToken({
      vaspOrigin,
      gatewayRootUrl: stack.gatewayOrigin,
      instance: 'northbank',
      username: 'bob',
      password: 'sandbox',
      permissions: ['pay_invoice', 'get_balance'],
    })
    const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' }
    const pay = async (invoice: string): Promise<{ status: number; preimage: unknown }> => {
      const body = JSON.stringify({ invoice })
      const answer = await fetch(`${vaspOrigin}/umanwc/v1/payments/bolt11`, { method: 'POST', headers, body })
      return { status: answer.status, preimage: ((await answer.json()) as { preimage?: unknown }).preimage }
    }
    // The first payment succeeds, before the peer stops answering.
    expect((await pay(peer.invoice(SATS * 1_000n))).status).toBe(200)
    peer.hush()
    const invoices = Array.from({ length: OPEN }, () => peer.invoice(SATS * 1_000n))
    const answers = Promise.all(invoices.map(pay))
    await expect.poll(peer.pays).toBe(1 + OPEN)
    // The peer’s callers wait for five seconds and then track the payment again, until the server stops.
    await expect.poll(peer.waiting).toBe(OPEN)
    const ended = once(stack.vasp.child, 'exit')
    stack.vasp.child.kill('SIGTERM')
    await expect.poll(() => stack.vasp.lastLines(), { intervals: [20] }).toContain('stopping')
    peer.answerSome(END_IN_TIME)
    // The server no longer listens, or answers that it is stopping. In neither case does the peer receive a call.
    const refused = (): Promise<number> =>
      pay(peer.invoice(SATS * 1_000n)).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(refused).toBe(0)
    expect(stack.vasp.child.exitCode, 'it still waits for the open payments').toBeNull()
    expect(peer.pays()).toBe(1 + OPEN)
    const statuses = (await answers).map(({ status }) => status)
    expect(statuses.filter((status) => status === 200)).toHaveLength(END_IN_TIME)
    expect(statuses.filter((status) => status === 504)).toHaveLength(OPEN - END_IN_TIME)
    expect(await ended).toEqual([0, null])

    peer.speak()
    await stack.revive('VASP')
    const again = await Promise.all(invoices.map(pay))
    expect(again.map(({ status }) => status)).toEqual(invoices.map(() => 200))
    expect(new Set(again.map(({ preimage }) => preimage)).size).toBe(OPEN)
    // A payment that had been sent was tracked, and not sent again.
    expect(peer.pays()).toBe(1 + OPEN)
    const balance = await fetch(`${vaspOrigin}/umanwc/v1/balance`, { headers })
    expect(await balance.json()).toMatchObject({ balance: OPENING_SATS - Number(SATS) * (1 + OPEN) })
    const Authorization = auditCredential(stack.settings.NEXTAUTH_SECRET ?? '', Math.floor(Date.now() / 1000))
    const audit = await fetch(`${vaspOrigin}/-/audit`, { method: 'POST', headers: { Authorization } })
    expect(await audit.json()).toMatchObject({ breaches: [] })
  } finally {
    peer.stop()
    await stack.stop()
  }
})

test('when `npm start` receives a stop signal, alone or with its group, it stops its server and waits for it', async () => {
  for (const whom of ['npm', 'group'] as const) {
    const folder = await migratedDataDir()
    const port = await freePort()
    const settings = ensureSettings({ name: 'Northbank', port, gatewayRootUrl: 'http://localhost:8080' }, folder)
    const { DATABASE_URL: _database, ...inherited } = process.env
    const npm = spawn('npm', ['start', '--silent'], {
      env: { ...inherited, ...settings, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    })
    try {
      const ended = once(npm, 'exit')
      const written: Buffer[] = []
      npm.stdout.on('data', (chunk: Buffer) => written.push(chunk))
      const alive = (): Promise<number> =>
        fetch(`http://localhost:${port}/-/alive`).then(
          (answer) => answer.status,
          () => 0,
        )
      await expect.poll(alive, { timeout: 300_000 }).toBe(200)
      // A connection kept alive, as by a proxy: busy when the server is stopped, and open after the response.
      const proxy = connect(port, 'localhost')
      await once(proxy, 'connect')
      proxy.write(`GET /-/alive HTTP/1.1\r\nHost: localhost:${port}\r\n`)
      // A connection that is never used, as browsers open.
      const unused = connect(port, 'localhost').on('error', () => undefined)
      await once(unused, 'connect')
      await alive()
      process.kill(whom === 'npm' ? (npm.pid ?? 0) : -(npm.pid ?? 0), 'SIGTERM')
      await expect.poll(() => Buffer.concat(written).toString()).toContain('"msg":"stopping"')
      proxy.write('\r\n')
      const [answer] = (await once(proxy, 'data')) as [Buffer]
      expect(answer.toString()).toMatch(/^HTTP\/1\.1 200 /)
      await ended
      await expect.poll(alive).toBe(0)
    } finally {
      if (npm.pid !== undefined && npm.exitCode === null && npm.signalCode === null) process.kill(-npm.pid, 'SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    }
  }
})

test('a draining server answers 503 at /-/ready and keeps serving, then stops; a second signal ends it at once', async () => {
  for (const again of [false, true]) {
    const stack = await startStack({ DRAIN_SECONDS: again ? '300' : '4' })
    const statusOf = (path: string): Promise<number> =>
      fetch(`${stack.vaspOrigin}${path}`).then(
        (answer) => answer.status,
        () => 0,
      )
    try {
      expect(await statusOf('/-/ready')).toBe(200)
      const ended = once(stack.vasp.child, 'exit')
      // A signal to a process group arrives twice at the same moment and counts once.
      stack.vasp.child.kill('SIGTERM')
      stack.vasp.child.kill('SIGINT')
      await expect.poll(() => statusOf('/-/ready'), { intervals: [50] }).toBe(503)
      const { checks } = (await (await fetch(`${stack.vaspOrigin}/-/ready`)).json()) as { checks: unknown }
      expect(checks).toMatchObject({ shutdown: 'draining', database: 'ok' })
      expect([await statusOf('/-/alive'), await statusOf('/umanwc/v1/info')]).toEqual([200, 401])
      if (again) {
        // A signal within a second of the first one counts as the same signal.
        await expect.poll(() => (stack.vasp.child.kill('SIGTERM'), stack.vasp.child.exitCode)).toBe(1)
      } else {
        expect(await ended).toEqual([0, null])
        expect(await statusOf('/-/alive')).toBe(0)
      }
    } finally {
      await stack.stop()
    }
  }
})

test('a start on a port that is in use ends before it touches the database', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-'))
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  try {
    const settings = ensureSettings({ name: 'Northbank', port, gatewayRootUrl: 'http://localhost:8080' }, folder)
    const { DATABASE_URL: _database, ...inherited } = process.env
    const server = spawn(process.execPath, ['server.js'], {
      env: { ...inherited, ...settings, NODE_ENV: 'production' },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let [out, err] = ['', '']
    server.stdout.on('data', (chunk) => (out += String(chunk)))
    server.stderr.on('data', (chunk) => (err += String(chunk)))
    expect(await once(server, 'close')).toEqual([1, null])
    expect(err).toBe(`PORT ${port} is in use on 127.0.0.1: stop the other program or set another PORT.\n`)
    expect(out).not.toContain('database')
    expect(readdirSync(folder)).toEqual(['settings.env'])
  } finally {
    other.close()
    rmSync(folder, { recursive: true, force: true })
  }
})
