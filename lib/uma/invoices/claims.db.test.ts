import { Client } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { makeUmaServer } from '@/lib/uma/server/server'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { openPatiently } from '@/test/databases/patient-database'
import { startOtherVasp } from '@/test/uma/other-vasp'
import { newNodeSecret } from '@/test/vasp/keys'
import { expectSound, newPayer, tally, type Payer } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, read, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { createUmaInvoice } from './create'

/**
 * A VASP whose users create UMA invoices, another VASP that requests their Lightning invoices, and one payer for all
 * Lightning invoices.
 */
interface ClaimWorld {
  readonly vasp: TestVasp
  /** Pays all Lightning invoices. */
  readonly funds: Payer
  /** Creates a user for one test. */
  newPayee(): Promise<Payee>
  stop(): void
}

interface Payee {
  /** Creates a UMA invoice that allows this number of payments; returns its UUID. */
  create(maxPayments: number): Promise<string>
  /** Requests a UMA invoice's Lightning invoice for the user `name` of the other VASP; returns the answer. */
  ask(invoiceUUID: string, name: string): Promise<Answer>
  credited(): Promise<bigint>
}

/** The amount of each UMA invoice, in euro cents. */
const AMOUNT = 250n

async function makeClaimWorld(db: Database): Promise<ClaimWorld> {
  const other = await startOtherVasp()
  const vasp = await makeTestVasp(db, {
    UMA_SIGNING_KEY: newNodeSecret(),
    UMA_ENCRYPTION_KEY: newNodeSecret(),
    UMA_LOCAL_PEERS: other.domain,
  })
  const answer = makeUmaServer(vasp.app)
  return {
    vasp,
    funds: await newPayer(vasp, { SAT: 10n ** 12n }),
    async newPayee() {
      const bob = await newUser(vasp, { EUR: 0n })
      return {
        async create(maxPayments) {
          const asked = { username: bob, code: 'EUR', amount: AMOUNT, expirySeconds: 600, maxPayments }
          return (await createUmaInvoice(vasp.app, asked)).uuid
        },
        async ask(invoiceUUID, name) {
          const body = other.sender.payRequest(`$${name}@${other.domain}`, {
            amount: `${AMOUNT}.EUR`,
            convert: 'EUR',
            invoiceUUID,
          })
          const url = `http://localhost:3000/uma/pay/${bob}`
          return read(await answer(new Request(url, { method: 'POST', body: JSON.stringify(body) })))
        },
        credited: async () => (await walletOf(db, bob, 'EUR')).available,
      }
    },
    stop: () => other.stop(),
  }
}

const PAYERS = 20
const FULL = expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'INVALID_INVOICE' }) })

describeOnBothEngines('A UMA invoice with many payers', (db) => {
  let world: ClaimWorld
  let payee: Payee
  let funds: Payer

  beforeAll(async () => {
    world = await makeClaimWorld(db())
    funds = world.funds
  })
  afterAll(() => world.stop())
  beforeEach(async () => {
    payee = await world.newPayee()
  })

  const create = (maxPayments: number): Promise<string> => payee.create(maxPayments)
  const ask = (uuid: string, name: string) => payee.ask(uuid, name)
  const credited = (): Promise<bigint> => payee.credited()

  test.each([1, 3])(
    'a UMA invoice that twenty payers request concurrently accepts %i of them, and is paid that many times',
    async (places) => {
      const uuid = await create(places)
      const asked = await Promise.all(Array.from({ length: PAYERS }, (_, index) => ask(uuid, `payer${index}`)))
      expect(tally(asked)).toEqual({ 200: places, 400: PAYERS - places })
      for (const each of asked.filter(({ status }) => status === 400)) expect(each).toEqual(FULL)
      const paid = await Promise.all(
        asked.filter(({ status }) => status === 200).map(({ body }) => funds.pay(String(body.pr))),
      )
      expect(tally(paid)).toEqual({ 200: places })
      expect(await credited()).toBe(AMOUNT * BigInt(places))
      expect(await ask(uuid, 'late')).toEqual(FULL)
      await expectSound(db())
    },
  )

  test('a UMA invoice that one payer requests again keeps only the last request open', async () => {
    const uuid = await create(1)
    const [first, second] = [await ask(uuid, 'carol'), await ask(uuid, 'carol')]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await funds.pay(String(first.body.pr))).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    expect((await funds.pay(String(second.body.pr))).status).toBe(200)
    expect(await ask(uuid, 'carol')).toEqual(FULL)
    expect(await credited()).toBe(AMOUNT)
  })

  test('a UMA invoice answers a hundred repeated requests from one domain, and the user’s other UMA invoices are not affected', async () => {
    const [uuid, another] = [await create(1), await create(1)]
    for (let time = 0; time < 100; time++) expect((await ask(uuid, 'gus')).status).toBe(200)
    expect(await ask(uuid, 'gus')).toMatchObject({ status: 429, body: { code: 'VELOCITY_LIMIT_EXCEEDED' } })
    expect((await ask(another, 'gus')).status).toBe(200)
  })

  test.each([1, 3])(
    'a UMA invoice that one payer requests and pays twenty times concurrently is paid at most %i times',
    async (places) => {
      const uuid = await create(places)
      const answers = await Promise.all(
        Array.from({ length: PAYERS }, async () => {
          const { status, body } = await ask(uuid, 'dave')
          return status === 200 ? (await funds.pay(String(body.pr))).status : status
        }),
      )
      const paid = answers.filter((status) => status === 200).length
      expect(paid).toBeGreaterThan(0)
      expect(paid).toBeLessThanOrEqual(places)
      expect(await credited()).toBe(AMOUNT * BigInt(paid))
      await expectSound(db())
    },
  )

  test('a UMA invoice accepts another payer when the Lightning invoice of an earlier request has expired unpaid', async () => {
    const uuid = await create(1)
    const { body } = await ask(uuid, 'erin')
    expect(await ask(uuid, 'frank')).toEqual(FULL)
    await db().query(
      { name: 'test_end_invoice', text: `update invoices set expires_at = now() where invoice = $1 returning id` },
      [body.pr],
    )
    expect((await ask(uuid, 'frank')).status).toBe(200)
    expect(await funds.pay(String(body.pr))).toMatchObject({ status: 400 })
  })

  test('a UMA invoice accepts no request after its own expiry', async () => {
    const uuid = await create(3)
    const { body } = await ask(uuid, 'grace')
    const [row] = await db().query<{ fits: boolean }>(
      {
        name: 'test_ends_together',
        text: `select i.expires_at <= u.expires_at as fits from uma_invoices u, invoices i where u.uuid = $1::uuid and i.invoice = $2`,
      },
      [uuid, body.pr],
    )
    expect(row).toEqual({ fits: true })
    await db().query(
      { name: 'test_end_uma', text: `update uma_invoices set expires_at = now() where uuid = $1::uuid returning id` },
      [uuid],
    )
    expect(await ask(uuid, 'heidi')).toMatchObject({ status: 400, body: { code: 'INVOICE_EXPIRED' } })
  })
})

/** Long enough for a payment to find the Lightning invoice open before it expires. */
const ENDS_AFTER_MS = 1_200

describeOnPostgres('A UMA invoice whose payment waits for a wallet', (server) => {
  let url: string
  let db: Database
  let world: ClaimWorld

  beforeAll(async () => {
    url = await server.createMigratedDatabase()
    db = await openPatiently(url)
    world = await makeClaimWorld(db)
  })
  afterAll(async () => {
    world.stop()
    await db.close()
  })

  test('a UMA invoice accepts no other payer while the Lightning invoice of a pending payment expires, because the payment may still arrive', async () => {
    const payee = await world.newPayee()
    const uuid = await payee.create(1)
    const { body } = await payee.ask(uuid, 'carol')
    const blocker = new Client({ connectionString: url })
    await blocker.connect()
    try {
      const { accountId } = await walletOf(db, world.funds.username, 'SAT')
      await blocker.query('begin')
      await blocker.query('select from ledger_accounts where id = $1 for update', [String(accountId)])
      const waiting = async (): Promise<number> => (await blocker.query(LOCK_WAITS)).rowCount ?? 0
      await db.query(
        {
          name: 'test_ends_soon',
          text: `update invoices set expires_at = now() + $2::int * interval '1 millisecond' where invoice = $1 returning id`,
        },
        [body.pr, ENDS_AFTER_MS],
      )
      const paid = world.funds.pay(String(body.pr))
      await expect.poll(waiting, { interval: 10 }).toBe(1)
      const over = `select expires_at <= clock_timestamp() as over from invoices where invoice = $1`
      await expect.poll(() => db.query({ name: 'test_over', text: over }, [body.pr])).toEqual([{ over: true }])
      const asked = payee.ask(uuid, 'dave')
      const waits = expect
        .poll(waiting, { interval: 10 })
        .toBe(2)
        .then(() => 'waits')
      expect(await Promise.race([asked.then(() => 'answered'), waits])).toBe('waits')
      await blocker.query('rollback')
      expect((await paid).status).toBe(200)
      expect(await asked).toEqual(FULL)
    } finally {
      await blocker.end()
    }
    expect(await payee.credited()).toBe(AMOUNT)
    await expectSound(db)
  })
})
