import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, createServer, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { operatorCredential } from '@/lib/audit/operator-request'
import { encodeInvoice } from '@/lib/lightning/bolt11'
import { makeNodeKey } from '@/lib/lightning/simulated-node/keys'
import { PATHS } from '@/lib/lightning/simulated-node/messages'
import { answerText, HEADERS } from '@/lib/lightning/simulated-node/signature'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import type { RunningProcess } from '../../sandbox/shared/processes'
import { ensureSettings } from '../../sandbox/shared/settings'
import { migratedDataDir } from '../databases/migrated'
import { freePort } from '../programs/free-port'
import { startStack, userOf } from '../stack/stack'
import { newNodeSecret } from '../vasp/keys'

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
  /** From now on it answers the calls of these payments, and those that are waiting. */
  finish(invoices: readonly string[]): void
  /** From now on it answers immediately; calls that are waiting get no answer. */
  speak(): void
  stop(): void
}

async function startPeer(): Promise<Peer> {
  const secretHex = newNodeSecret()
  const key = makeNodeKey(secretHex)
  const preimages = new Map<string, string>()
  const hashes = new Map<string, string>()
  const finished = new Set<string>()
  const waiting = new Map<() => void, string>()
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
    const hash = hashIn(path, body)
    if (silent && !finished.has(hash))
      await new Promise<void>((resolve) => {
        waiting.set(resolve, hash)
        response.once('close', () => waiting.delete(resolve))
      })
    const header = (name: string): string => String(request.headers[name])
    const said = JSON.stringify(
      path === PATHS.statement
        ? { received_msats: '0', sent_msats: '0' }
        : { state: 'received', preimage: preimages.get(hash) },
    )
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

  /** Empty for a statement. */
  function hashIn(path: string, body: string): string {
    return path === PATHS.statement ? '' : (JSON.parse(body) as { payment_hash: string }).payment_hash
  }

  return {
    setting: `${key.publicKeyHex}@http://${host}`,
    invoice(amountMsats) {
      const preimage = randomBytes(32)
      const paymentHash = createHash('sha256').update(preimage).digest('hex')
      preimages.set(paymentHash, preimage.toString('hex'))
      const invoice = encodeInvoice({
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
      hashes.set(invoice, paymentHash)
      return invoice
    },
    pays: () => pays,
    waiting: () => waiting.size,
    hush: () => void (silent = true),
    finish(invoices) {
      for (const invoice of invoices) finished.add(hashes.get(invoice) ?? '')
      for (const [resolve, hash] of waiting) if (finished.has(hash)) resolve()
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
/** How many of the twenty payments finish at once. */
const END_FIRST = 5

// lib/payments/stopping.db.test.ts shows that it waits at most half a minute, and that the next server completes the rest.
it('on SIGTERM with twenty open payments, the server accepts no new ones, waits for them, and repeats their answers at its next start', async () => {
  const peer = await startPeer()
  const stack = await startStack({ LIGHTNING_PEERS: peer.setting, PAYMENT_WAIT_SECONDS: '3600' }, 'server.js', {
    alone: true,
  })
  const { vaspOrigin } = stack
  try {
    const token = await fetchToken({ ...userOf(stack, 'bob'), permissions: ['pay_invoice', 'get_balance'] })
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
    await expect.poll(() => stack.vasp.lastLines(), { interval: 20 }).toContain('stopping')
    peer.finish(invoices.slice(0, END_FIRST))
    // The server no longer listens, or answers that it is stopping. In neither case does the peer receive a call.
    const refused = (): Promise<number> =>
      pay(peer.invoice(SATS * 1_000n)).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(refused).toBe(0)
    expect(stack.vasp.child.exitCode, 'it still waits for the open payments').toBeNull()
    expect(peer.pays()).toBe(1 + OPEN)
    peer.finish(invoices)
    const first = await answers
    expect(first.map(({ status }) => status)).toEqual(invoices.map(() => 200))
    expect(await ended).toEqual([0, null])

    peer.speak()
    await stack.revive('VASP')
    const again = await Promise.all(invoices.map(pay))
    expect(again).toEqual(first)
    expect(new Set(again.map(({ preimage }) => preimage)).size).toBe(OPEN)
    // A payment that had been sent was not sent again.
    expect(peer.pays()).toBe(1 + OPEN)
    const balance = await fetch(`${vaspOrigin}/umanwc/v1/balance`, { headers })
    expect(await balance.json()).toMatchObject({ balance: OPENING_SATS - Number(SATS) * (1 + OPEN) })
    const secret = stack.settings.NEXTAUTH_SECRET ?? ''
    const Authorization = operatorCredential(secret, Math.floor(Date.now() / 1000), '{}', 'audit')
    const audit = await fetch(`${vaspOrigin}/-/audit`, { method: 'POST', body: '{}', headers: { Authorization } })
    expect(await audit.json()).toMatchObject({ breaches: [] })
  } finally {
    peer.stop()
    await stack.stop()
  }
})

it('when `npm start` receives a stop signal, alone or with its group, it stops its server and waits for it', async () => {
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

it('a draining server answers 503 at /-/ready and keeps serving, then stops; a second signal ends it at once', async () => {
  const stack = await startStack({ DRAIN_SECONDS: '8' }, 'server.js', { alone: true })
  const statusOf = (path: string): Promise<number> =>
    fetch(`${stack.vaspOrigin}${path}`).then(
      (answer) => answer.status,
      () => 0,
    )
  const drain = async ({ child }: RunningProcess): Promise<void> => {
    expect(await statusOf('/-/ready')).toBe(200)
    // A signal to a process group arrives twice at the same moment and counts once.
    child.kill('SIGTERM')
    child.kill('SIGINT')
    await expect.poll(() => statusOf('/-/ready')).toBe(503)
    const { checks } = (await (await fetch(`${stack.vaspOrigin}/-/ready`)).json()) as { checks: unknown }
    expect(checks).toMatchObject({ shutdown: 'draining', database: 'ok' })
    expect([await statusOf('/-/alive'), await statusOf('/umanwc/v1/info')]).toEqual([200, 401])
  }
  try {
    const ended = once(stack.vasp.child, 'exit')
    await drain(stack.vasp)
    expect(await ended).toEqual([0, null])
    expect(await statusOf('/-/alive')).toBe(0)

    const again = await stack.revive('VASP', { DRAIN_SECONDS: '300' })
    await drain(again)
    // A signal within a second of the first one counts as the same signal.
    await expect.poll(() => (again.child.kill('SIGTERM'), again.child.exitCode)).toBe(1)
  } finally {
    await stack.stop()
  }
})

it('a start on a port that is in use ends before it touches the database', async () => {
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
