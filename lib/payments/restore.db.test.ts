import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeWithBackups, type StoredDatabase } from '@/test/databases/databases'
import { newKeyPair, newNodeSecret } from '@/test/vasp/keys'
import { expectSound, houseBalance, newPayer, statesOf, type Payer } from '@/test/vasp/leaving'
import { invoiceOf, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { answerPeer } from '../lightning/answer-peer'
import { nodePublicKey } from '../lightning/node-key'
import { makeSimulatedNode } from '../lightning/simulated-node/node'
import { readiness } from '../platform/readiness'
import { operate, type OperatorReply } from './operator'

const START = 10_000_000n
const AMOUNT = 1_000_000n
/** The amount that the south pays to the north. */
const PAID_BACK = 300_000n
/** The maximum debt of one VASP to the other. */
const LIMIT = 3n * AMOUNT

type Name = 'north' | 'south'

/** Two complete VASPs whose nodes reach each other. One of them is restored from a backup. */
describeWithBackups('After an older backup of a VASP was restored', (create) => {
  const pair = newKeyPair()
  const secrets = { north: newNodeSecret(), south: newNodeSecret() }
  const keys = { north: nodePublicKey(secrets.north), south: nodePublicKey(secrets.south) }
  const origins = { north: 'http://localhost:3000', south: 'http://localhost:3001' }
  /** The instance that answers at each origin. */
  const running: { north?: TestVasp; south?: TestVasp } = {}
  let latest: Record<Name, StoredDatabase>
  let backups: Record<Name, StoredDatabase>
  let payer: Payer
  let payee: Payer
  /** An invoice for the north's payer, created before the backup and paid after it. */
  let openInvoice: Invoice
  /** An invoice of the south's payee, paid after the backup. */
  let forgotten: Invoice

  async function start(name: Name, stored: StoredDatabase): Promise<TestVasp> {
    const other = name === 'north' ? 'south' : 'north'
    const env = {
      VASP_DOMAIN: new URL(origins[name]).host,
      LIGHTNING_NODE_KEY: secrets[name],
      LIGHTNING_PEERS: `${keys[other]}@${origins[other]}`,
      LIGHTNING_PEER_LIMIT_MSATS: String(LIMIT),
      PAYMENT_WAIT_SECONDS: '2',
    }
    const vasp = await makeTestVasp(await stored.open(), env, pair, (parts) =>
      makeSimulatedNode({
        ...parts,
        post: (url, init) => answerPeer(running[other]?.app.simulatedNode, new Request(url, init)),
      }),
    )
    running[name] = vasp
    return vasp
  }
  async function stop(name: Name): Promise<void> {
    const { paymentWorker, db } = runningOn(name).app
    await paymentWorker.stop()
    await db.close()
    delete running[name]
  }
  const runningOn = (name: Name): TestVasp => running[name] ?? expect.fail(`the ${name} is not running`)
  const restore = async (name: Name, stored: StoredDatabase): Promise<TestVasp> => {
    await stop(name)
    return start(name, stored)
  }

  beforeAll(async () => {
    latest = { north: await create(), south: await create() }
    const [north, south] = [await start('north', latest.north), await start('south', latest.south)]
    payer = await newPayer(north, { SAT: START })
    payee = await newPayer(south, { SAT: START })
    const before = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    expect((await payer.pay(before.invoice, {}, north)).status).toBe(200)
    openInvoice = await invoiceOf(north, payer.username, 'SAT', PAID_BACK)
    forgotten = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    for (const name of ['north', 'south'] as const) await stop(name)
    backups = { north: await latest.north.backUp(), south: await latest.south.backUp() }

    for (const name of ['north', 'south'] as const) await start(name, latest[name])
    expect((await payer.pay(forgotten.invoice, {}, runningOn('north'))).status).toBe(200)
    expect((await payee.pay(openInvoice.invoice, {}, runningOn('south'))).status).toBe(200)
  })
  afterAll(async () => {
    for (const name of ['north', 'south'] as const) if (running[name] !== undefined) await stop(name)
  })

  test('a restored payer pays the peer nothing, and its audit names the difference', async () => {
    const north = await restore('north', backups.north)
    expect(await balancesOn(north, payer)).toEqual([START - AMOUNT, 0n])
    const south = runningOn('south')
    const southHas = await balancesOn(south, payee)
    for (const { invoice, paymentHash } of [forgotten, await invoiceOf(south, payee.username, 'SAT', AMOUNT)]) {
      expect(await payer.pay(invoice, {}, north)).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
      expect(await statesOf(north.app.db, paymentHash)).toEqual(['failed'])
    }
    expect(await balancesOn(north, payer)).toEqual([START - AMOUNT, 0n])
    expect(await balancesOn(south, payee)).toEqual(southHas)

    const { breaches, review } = await north.app.audit.run('everything')
    expect([breaches, review?.length]).toEqual([[], 1])
    expect(review?.[0]).toContain(`--accept=${keys.south} --sent=${AMOUNT} --received=${PAID_BACK} `)
    expect(await readiness(north.app)).toMatchObject({ ready: true, checks: { books: 'ok', peers: 'review' } })
    expect(await houseBalance(north.app.db, 'suspense')).toBe(0n)

    // Payments between the north's own users still work.
    const friend = await newPayer(north, { SAT: 0n })
    const own = await invoiceOf(north, friend.username, 'SAT', AMOUNT)
    expect((await payer.pay(own.invoice, {}, north)).status).toBe(200)
    await expectSound(north.app.db)
  })

  test('a restored payer pays the peer again after an operator accepts the difference, and credits nothing twice', async () => {
    const [north, south] = [runningOn('north'), runningOn('south')]
    const before = await balancesOn(north, payer)
    expect(await accept('north', AMOUNT + 1n, PAID_BACK)).toMatchObject({ done: false })
    expect(await accept('north', AMOUNT, PAID_BACK)).toMatchObject({ done: true })
    expect(await accept('north', AMOUNT, PAID_BACK)).toMatchObject({ done: false })
    expect(north.app.audit.peers()).toBe('ok')
    expect(await houseBalance(north.app.db, 'suspense')).toBe(PAID_BACK - AMOUNT)
    expect(await owedOn(north)).toBe(-(await owedOn(south)))
    expect(await balancesOn(north, payer)).toEqual(before)

    const southHas = await balancesOn(south, payee)
    expect((await payer.pay(forgotten.invoice, {}, north)).status).toBe(400)
    expect(await balancesOn(south, payee)).toEqual(southHas)
    expect((await payNew('north')).status).toBe(200)
    expect(await owedOn(north)).toBe(-(await owedOn(south)))
    await expectSound(north.app.db)
    await expectSound(south.app.db)
  })

  test('a newer state, once restored, differs from the peer only by the payments made after it', async () => {
    // This state lacks the one payment that the previous test made to the south.
    const north = await restore('north', latest.north)
    await north.app.simulatedNode?.totals.compareAll()
    expect(north.app.simulatedNode?.totals.differences()).toMatchObject([{ sentMsats: AMOUNT, receivedMsats: 0n }])
    await expectSound(north.app.db)
  })

  test('a restored payee lets the peer owe no more than its limit, and its audit names the difference', async () => {
    const south = await restore('south', backups.south)
    const north = runningOn('north')
    const [had] = await balancesOn(south, payee)
    expect(had).toBe(START + AMOUNT)
    const statuses = [(await payNew('north')).status, (await payNew('north')).status, (await payNew('north')).status]
    expect(statuses).toEqual([200, 200, 400])
    expect(await owedOn(south)).toBe(-LIMIT)
    expect(await balancesOn(south, payee)).toEqual([START + LIMIT, 0n])

    await south.app.simulatedNode?.totals.compareAll()
    const { breaches, review } = await south.app.audit.run('everything')
    expect([breaches, review?.length]).toEqual([[], 1])
    expect(review?.[0]).toContain(`--accept=${keys.north} --sent=${PAID_BACK} --received=${AMOUNT} `)
    const back = await invoiceOf(north, payer.username, 'SAT', PAID_BACK)
    expect((await payee.pay(back.invoice, {}, south)).status).toBe(400)

    expect(await accept('south', PAID_BACK, AMOUNT)).toMatchObject({ done: true })
    expect(await houseBalance(south.app.db, 'suspense')).toBe(AMOUNT - PAID_BACK)
    expect(await owedOn(south)).toBe(-(await owedOn(north)))
    expect((await payNew('north')).status).toBe(400)
    expect(await balancesOn(south, payee)).toEqual([START + LIMIT, 0n])
    expect(
      (await payee.pay((await invoiceOf(north, payer.username, 'SAT', PAID_BACK)).invoice, {}, south)).status,
    ).toBe(200)
    await expectSound(south.app.db)
  })

  type Invoice = Awaited<ReturnType<typeof invoiceOf>>

  async function payNew(from: 'north'): Promise<Answer> {
    const { invoice } = await invoiceOf(runningOn('south'), payee.username, 'SAT', AMOUNT)
    return payer.pay(invoice, {}, runningOn(from))
  }

  function accept(name: Name, sentMsats: bigint, receivedMsats: bigint): Promise<OperatorReply> {
    const { db, log, node, simulatedNode } = runningOn(name).app
    const peer = keys[name === 'north' ? 'south' : 'north']
    const amounts = { sentMsats: String(sentMsats), receivedMsats: String(receivedMsats) }
    const decision = { do: 'accept', peer, ...amounts, by: 'ops', because: 'its operator has confirmed it' } as const
    return operate({ db, log, accounts: node.accounts, totals: simulatedNode?.totals }, decision)
  }

  /** The VASP's debt to its peer, in msats; negative when the peer is in debt. */
  async function owedOn({ app }: TestVasp): Promise<bigint> {
    const text = `select coalesce(sum(balance), 0)::bigint as total from ledger_accounts where kind = 'node'`
    return (await app.db.query<{ total: bigint }>({ name: 'test_peers', text }))[0]?.total ?? 0n
  }

  /** A user's available and held balances in this VASP's database: `Payer.balances` reads the database it was created with. */
  async function balancesOn({ app }: TestVasp, { username }: Payer): Promise<[bigint, bigint]> {
    const { available, held } = await walletOf(app.db, username, 'SAT')
    return [available, held]
  }
})
