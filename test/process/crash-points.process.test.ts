import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerPeer } from '@/lib/lightning/answer-peer'
import { nodePublicKey } from '@/lib/lightning/node-key'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { CRASH_POINTS, MIGRATION_TRAPS, startCrashProcess, type CrashPoint } from '@/test/programs/crash-points'
import { newKeyPair, newNodeSecret } from '@/test/vasp/keys'
import { endLease, expectSound, newPayer, statesOf, type Payer } from '@/test/vasp/leaving'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const START = 1_000_000n
const AMOUNT = 100_000n
const AT_ONCE = 3

/** A payment (each has a user of its own), and the point at which the process is killed. */
interface Kill {
  readonly point: CrashPoint
  readonly payer: Payer
  readonly paymentHash: string
  readonly path: string
  readonly body: Record<string, unknown>
}

type Round = 'an invoice' | 'a keysend' | 'an invoice, from dollars'
const ROUNDS: readonly Round[] = ['an invoice', 'a keysend', 'an invoice, from dollars']

describeOnPostgres('kill -9 of a process that pays another node', (server) => {
  const payeeSecret = newNodeSecret()
  /** One node for each database: a node with another database's books refuses to pay. */
  const payerSecrets = [...ROUNDS, ...MIGRATION_TRAPS].map(() => newNodeSecret())
  const pair = newKeyPair()
  /** By payment hash: the payment, how to kill its process, and how often the payee was asked. */
  const kills = new Map<string, { kill: Kill; end(): void; asked: number }>()
  let http: Server
  let envs: Record<string, string>[]
  let payee: TestVasp
  let payeeName: string

  beforeAll(async () => {
    http = createServer((request, response) => void answer(request, response)).listen(0, '127.0.0.1')
    await once(http, 'listening')
    const domain = `localhost:${(http.address() as AddressInfo).port}`
    const db = await openPatiently(await server.createMigratedDatabase())
    payee = await makeTestVasp(db, {
      VASP_DOMAIN: domain,
      LIGHTNING_NODE_KEY: payeeSecret,
      LIGHTNING_PEERS: payerSecrets.map((secret) => `${nodePublicKey(secret)}@http://localhost:9`).join(','),
    })
    payeeName = await newUser(payee, { SAT: 0n })
    envs = payerSecrets.map((secret) => ({
      LIGHTNING_NODE_KEY: secret,
      LIGHTNING_PEERS: `${nodePublicKey(payeeSecret)}@http://${domain}`,
      PAYMENT_WAIT_SECONDS: '20',
    }))
  })
  afterAll(async () => {
    http.close()
    http.closeAllConnections()
    await payee.app.db.close()
  })

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks)
    const { payment_hash: hash } = JSON.parse(body.toString()) as { payment_hash: string }
    const planned = kills.get(hash)
    if (planned !== undefined) planned.asked += 1
    const { point } = planned?.kill ?? {}
    const isFirst = planned?.asked === 1
    if (isFirst && point?.payee === 'asked') planned?.end()
    const url = `http://${request.headers.host ?? ''}${request.url ?? ''}`
    const headers = request.headers as Record<string, string>
    const answered = await answerPeer(payee.app.simulatedNode, new Request(url, { method: 'POST', headers, body }))
    if (isFirst && point?.payee === 'answering') planned?.end()
    if (isFirst && point?.answerLost === true) return void response.destroy()
    response.writeHead(answered.status, Object.fromEntries(answered.headers))
    response.end(Buffer.from(await answered.arrayBuffer()))
  }

  async function plan(vasp: TestVasp, point: CrashPoint, round: Round): Promise<Kill> {
    const payer = await newPayer(vasp, round === 'an invoice, from dollars' ? { USD: START } : { SAT: START })
    if (round === 'a keysend') {
      const preimage = randomBytes(32).toString('hex')
      const name = point.refused === true ? 'nobody-here' : payeeName
      const body = {
        amount: Number(AMOUNT),
        pubkey: payee.app.node.identity.publicKeyHex,
        preimage,
        tlv_records: [{ type: 696_969, value: Buffer.from(name).toString('hex') }],
      }
      const paymentHash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
      return { point, payer, paymentHash, path: '/payments/keysend', body }
    }
    const { invoice, paymentHash } = await invoiceOf(payee, payeeName, 'SAT', AMOUNT)
    const expire = `update invoices set expires_at = now() where payment_hash = $1`
    if (point.refused === true) await payee.app.db.query({ name: 'test_expire', text: expire }, [paymentHash])
    return { point, payer, paymentHash, path: '/payments/bolt11', body: { invoice } }
  }

  async function carryOut(kill: Kill, databaseUrl: string, env: Record<string, string>): Promise<void> {
    const { path, body, point, payer } = kill
    const order = { databaseUrl, env, pair, path, body, token: payer.token, trap: point.trap }
    const { child, ended } = startCrashProcess(order)
    kills.set(kill.paymentHash, { kill, asked: 0, end: () => void child.kill('SIGKILL') })
    expect(await ended, point.name).toBe('SIGKILL')
  }

  /** After a restart every payment ends once its lease of at most six seconds has ended, and can be retried. */
  async function startAgain(databaseUrl: string, env: Record<string, string>, round: readonly Kill[]): Promise<void> {
    const db = await openPatiently(databaseUrl)
    const vasp = await makeTestVasp(db, env, pair)
    const long = `select count(*)::int as long from payments where lease_expires_at > now() + interval '6 seconds'`
    expect(await db.query({ name: 'test_long_leases', text: long })).toEqual([{ long: 0 }])
    for (const { paymentHash } of round) await endLease(db, paymentHash)
    vasp.app.paymentWorker.keepRunning()
    const open = `select count(*)::int as open from payments where state in ('held', 'sending')`
    await expect.poll(() => db.query({ name: 'test_open', text: open })).toEqual([{ open: 0 }])
    await expectSound(db)
    for (const { point, payer, path, body, paymentHash } of round) {
      const again = await vasp.post(path, payer.token, body)
      expect(again.status, point.name).toBe(point.refused === true ? 400 : 200)
      await expectOnce(db, point, paymentHash)
    }
    await expectSound(db)
    await vasp.app.paymentWorker.stop()
    await db.close()
  }

  /** At most one success, here and at the node. A payment that failed earlier was never received. */
  async function expectOnce(db: Database, point: CrashPoint, paymentHash: string): Promise<void> {
    const states = await statesOf(db, paymentHash)
    const succeeded = point.refused === true ? 0 : 1
    expect(states.filter((state) => state === 'succeeded').length, point.name).toBe(succeeded)
    const sends = `select state from lightning_node.sends where payment_hash = $1 and state <> 'failed'`
    expect(await db.query({ name: 'test_sends', text: sends }, [paymentHash]), point.name).toEqual(
      succeeded === 1 ? [{ state: 'succeeded' }] : [],
    )
    const got = `select amount_msats from incoming_payments where payment_hash = $1`
    expect(await payee.app.db.query({ name: 'test_got', text: got }, [paymentHash]), point.name).toEqual(
      succeeded === 1 ? [{ amount_msats: AMOUNT }] : [],
    )
  }

  async function owed(db: Database): Promise<bigint> {
    const text = `select coalesce(sum(balance), 0)::bigint as total from ledger_accounts where kind = 'node'`
    const [row] = await db.query<{ total: bigint }>({ name: 'test_owed', text })
    return row?.total ?? 0n
  }

  test(`at each of eleven points, with ${ROUNDS.join('; ')}, leaves no payment open after its lease, and both sets of books in agreement`, async () => {
    const restarts: Promise<void>[] = []
    const databases: string[] = []
    for (const [index, round] of ROUNDS.entries()) {
      const env = envs[index] ?? {}
      const databaseUrl = await server.createMigratedDatabase()
      databases.push(databaseUrl)
      const db = await openPatiently(databaseUrl)
      const vasp = await makeTestVasp(db, env, pair)
      const planned: Kill[] = []
      for (const point of CRASH_POINTS) planned.push(await plan(vasp, point, round))
      await db.close()
      const waiting = [...planned]
      const killInTurn = async (): Promise<void> => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
          await carryOut(next, databaseUrl, env)
      }
      await Promise.all(Array.from({ length: AT_ONCE }, killInTurn))
      // Recovery runs while the next round's processes are killed.
      restarts.push(startAgain(databaseUrl, env, planned))
    }
    await Promise.all(restarts)
    let paid = 0n
    for (const databaseUrl of databases) {
      const db = await openPatiently(databaseUrl)
      paid += await owed(db)
      await db.close()
    }
    const received = BigInt(ROUNDS.length * CRASH_POINTS.filter(({ refused }) => refused !== true).length) * AMOUNT
    expect([paid, -(await owed(payee.app.db))]).toEqual([received, received])
    expect((await walletOf(payee.app.db, payeeName, 'SAT')).available).toBe(received)
    await expectSound(payee.app.db)
  })

  test('a kill during the newest migration leaves it applied fully or not at all, and the next process pays', async () => {
    for (const [index, trap] of MIGRATION_TRAPS.entries()) {
      const env = envs[ROUNDS.length + index] ?? {}
      const databaseUrl = await server.createDatabase()
      const order = { databaseUrl, env, pair, path: '/payments/bolt11', token: '', body: {}, trap }
      expect(await startCrashProcess(order).ended).toBe('SIGKILL')
      const db = await openPatiently(databaseUrl)
      const vasp = await makeTestVasp(db, env, pair)
      const payer = await newPayer(vasp, { SAT: START })
      const { invoice } = await invoiceOf(payee, payeeName, 'SAT', AMOUNT)
      expect((await payer.pay(invoice)).status).toBe(200)
      await expectSound(db)
      await db.close()
    }
  })
})
