import { randomBytes, randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { describeOnPostgres } from '../databases/databases'
import { openPayments } from '../load/mixed-fixture'
import { startStack, userOf, type Stack } from '../stack/stack'
import { compareBooks } from './compare-books'
import { startLossyProxy, type LossyProxy } from './lossy-proxy'
import { makeRemoteNode, type RemoteNode } from './remote-node'
import { startTestNetwork, type TestNetwork } from './test-network'
import { startTraffic, type Pace } from './traffic'

/** How often the VASP is killed, and LND. */
const KILLS = Number(process.env.LND_KILLS ?? '6')
/** Between a start and the next kill: several payments begin and end in it. */
const BREAKS = 8
/** More than the time lock of a payment, and of the outputs of a channel that one side closes. */
const BLOCKS_UNTIL_DECIDED = 400
const RUNS_MS = { min: 300, max: 1_500 }

describeOnPostgres('A VASP on a real LND', (server) => {
  let network: TestNetwork
  let remote: RemoteNode
  let stack: Stack
  let db: Database
  let proxy: LossyProxy

  beforeAll(async () => {
    network = await startTestNetwork()
    remote = makeRemoteNode(network.remote)
    proxy = await startLossyProxy(network.own)
    const { macaroonFile, certFile } = network.own
    const DATABASE_URL = await server.createMigratedDatabase()
    db = await openDatabase({ databaseUrl: DATABASE_URL, dataDir: '/nonexistent', log: () => {} })
    const lnd = { LND_URL: proxy.url, LND_MACAROON_FILE: macaroonFile, LND_TLS_CERT_FILE: certFile }
    stack = await startStack({ DATABASE_URL, RATE_LIMITS: 'off', ...lnd }, 'server.js', { alone: true })
  })
  afterAll(async () => {
    await stack?.stop()
    remote?.close()
    await db?.close()
    await proxy?.close()
    await network?.stop()
  })

  async function whileItPays(pace: Pace, disturb: () => Promise<void>): Promise<void> {
    const keys = { own: network.own.publicKeyHex, remote: network.remote.publicKeyHex }
    const traffic = await startTraffic(stack, remote, keys, pace)
    const before = await compareBooks(db, network.own)
    try {
      await disturb()
      await sleep(RUNS_MS.max)
    } finally {
      await traffic.stop()
    }
    // A payment that the VASP lost sight of is tracked until LND knows its end. An LND that was killed may list a payment as in flight
    // that no channel has, for minutes: its payer's money stays held, as it must while LND says so.
    const differences = async () => (await compareBooks(db, network.own)).differences
    await expect.poll(differences, { timeout: 180_000, interval: 500 }).toEqual([])
    const books = await compareBooks(db, network.own)
    expect(await openPayments(db)).toBe(books.inFlight)
    expect(books.ledgerMsats).toBe(books.lndMsats)
    expect(await findBreaches(db, FROM_THE_BEGINNING, await readAuditMark(db), 'elsewhere')).toEqual([])
    // What was answered as paid is booked, and LND's word for an incoming payment too.
    const booked = await bookedHashes(db)
    expect([...traffic.paid, ...traffic.received].filter((hash) => !booked.has(hash))).toEqual([])
    console.log(
      `${books.sent - before.sent} sent, ${books.received - before.received} received, ${traffic.paid.size} answered as paid, ${books.inFlight} in flight at LND alone; ledger and LND: ${books.ledgerMsats} msat`,
    )
  }

  it(`loses no millisatoshi when it is killed ${KILLS} times in the middle of payments`, async () => {
    let open = 0
    await whileItPays('several at once', async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(randomInt(RUNS_MS.min, RUNS_MS.max))
        await stack.kill('VASP')
        open += await openPayments(db)
        await stack.revive('VASP')
      }
    })
    console.log(`${KILLS} kills of the VASP with ${open} payments in progress`)
    expect(open).toBeGreaterThan(0)
  })

  it('loses no millisatoshi when connections to LND break, and answers to payments are lost', async () => {
    await whileItPays('several at once', async () => {
      for (let turn = 0; turn < BREAKS; turn++) {
        await sleep(randomInt(RUNS_MS.min, RUNS_MS.max))
        proxy.lostAnswers = 2
        proxy.breakStreams()
      }
      proxy.lostAnswers = 0
    })
  })

  it('refuses a keysend to nobody, which goes back to its sender', async () => {
    const preimage = randomBytes(32).toString('hex')
    const nobody = { 696_969: Buffer.from('nobody').toString('hex') }
    expect(await remote.keysend(network.own.publicKeyHex, preimage, 5_000n, nobody)).toBe(false)
    expect(await remote.keysend(network.own.publicKeyHex, randomBytes(32).toString('hex'), 5_000n, {})).toBe(false)
    const { differences, ledgerMsats, lndMsats } = await compareBooks(db, network.own)
    expect([differences, ledgerMsats]).toEqual([[], lndMsats])
  })

  // One by one, because of a defect of LND 0.19 to 0.21 (docs/decisions/0082): when connections break twice around two payments that
  // one commitment added, the channel is never active again.
  it(`loses no millisatoshi when LND is killed ${KILLS} times in the middle of payments`, async () => {
    let open = 0
    await whileItPays('one by one', async () => {
      for (let kill = 0; kill < KILLS; kill++) {
        await sleep(randomInt(RUNS_MS.min, RUNS_MS.max))
        await network.own.kill()
        open += await openPayments(db)
        await network.own.start()
      }
    })
    console.log(`${KILLS} kills of LND with ${open} payments in progress`)
    expect(open).toBeGreaterThan(0)
  })

  it('goes on when the chain restarts, and when the other node does', async () => {
    await whileItPays('one by one', async () => {
      await network.chain.stop()
      await sleep(RUNS_MS.max)
      await network.chain.start()
      await network.chain.mine(1)
      await network.remote.kill()
      await network.remote.start()
    })
  })

  it('holds the money of a payment in a channel that is closed, until the chain decides', async () => {
    const token = await fetchToken({ ...userOf(stack, 'bob'), permissions: ['pay_invoice'] })
    const pay = async (invoice: string): Promise<Response> =>
      fetch(`${stack.vaspOrigin}/umanwc/v1/payments/bolt11`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ invoice }),
      })
    const stateOf = async (paymentHash: string): Promise<unknown> => {
      const [row] = await db.query({ name: 'test_state', text: 'select state from payments where payment_hash = $1' }, [
        paymentHash,
      ])
      return row?.state
    }
    remote.holds = true
    const { invoice, paymentHash } = await remote.invoice(40_000_001n)
    const answer = pay(invoice)
    await expect.poll(() => remote.isHeld(paymentHash)).toBe(true)
    await network.closeChannel()
    const late = await remote.invoice(2_000_000n)
    expect((await pay(late.invoice)).status).not.toBe(200)
    expect([await stateOf(paymentHash), await stateOf(late.paymentHash)]).toEqual(['sending', 'failed'])
    for (let block = 0; block < BLOCKS_UNTIL_DECIDED && (await stateOf(paymentHash)) === 'sending'; block++) {
      await network.chain.mine(1)
      await sleep(100)
    }
    await expect.poll(() => stateOf(paymentHash), { timeout: 120_000 }).toBe('failed')
    expect((await answer).status).not.toBe(200)
    const { differences, ledgerMsats, lndMsats } = await compareBooks(db, network.own)
    expect([differences, ledgerMsats]).toEqual([[], lndMsats])
  })
})

async function bookedHashes(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ hash: string }>({
    name: 'test_booked_hashes',
    text: `select payment_hash as hash from payments where state = 'succeeded' union select payment_hash from incoming_payments`,
  })
  return new Set(rows.map(({ hash }) => hash))
}
