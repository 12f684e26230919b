import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases'
import { newNodeSecret } from '@/test/keys'
import { expectSound, newPayer, tally, type Payer } from '@/test/leaving'
import { newPerson, walletOf } from '@/test/money'
import { startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { makeTestVasp, read, type Answer, type TestVasp } from '@/test/vasp'
import { makeUmaServer } from '../server'
import { createUmaInvoice } from './create'

const PAYERS = 20
const AMOUNT = 250n

describeOnBothEngines('A UMA invoice that many would pay', (db) => {
  let vasp: TestVasp
  let other: OtherVasp
  let answer: ReturnType<typeof makeUmaServer>
  let bob: string
  let funds: Payer

  beforeAll(async () => {
    other = await startOtherVasp()
    vasp = await makeTestVasp(db(), {
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
      UMA_LOCAL_PEERS: other.domain,
    })
    answer = makeUmaServer(vasp.deps)
    // Who carries the Lightning payments, for whichever VASP.
    funds = await newPayer(vasp, { SAT: 10n ** 12n })
  })
  afterAll(() => other.stop())
  beforeEach(async () => {
    bob = await newPerson(vasp, { EUR: 0n })
  })

  const create = async (maxPayments: number): Promise<string> => {
    const asked = { username: bob, code: 'EUR', amount: AMOUNT, expirySeconds: 600, maxPayments }
    return (await createUmaInvoice(vasp.deps, asked)).uuid
  }
  const ask = async (invoiceUUID: string, name: string): Promise<Answer> => {
    const body = other.sender.payRequest(`$${name}@${other.domain}`, {
      amount: `${AMOUNT}.EUR`,
      convert: 'EUR',
      invoiceUUID,
    })
    const url = `http://localhost:3000/uma/pay/${bob}`
    return read(await answer(new Request(url, { method: 'POST', body: JSON.stringify(body) })))
  }
  const credited = async (): Promise<bigint> => (await walletOf(db(), bob, 'EUR')).available
  const full = expect.objectContaining({ status: 400, body: expect.objectContaining({ code: 'INVALID_INVOICE' }) })

  test.each([1, 3])('by twenty payers at once has place for %i of them, and is paid so often', async (places) => {
    const uuid = await create(places)
    const asked = await Promise.all(Array.from({ length: PAYERS }, (_, index) => ask(uuid, `payer${index}`)))
    expect(tally(asked)).toEqual({ 200: places, 400: PAYERS - places })
    for (const each of asked.filter(({ status }) => status === 400)) expect(each).toEqual(full)
    const paid = await Promise.all(
      asked.filter(({ status }) => status === 200).map(({ body }) => funds.pay(String(body.pr))),
    )
    expect(tally(paid)).toEqual({ 200: places })
    expect(await credited()).toBe(AMOUNT * BigInt(places))
    expect(await ask(uuid, 'late')).toEqual(full)
    await expectSound(db())
  })

  test('by one payer who asks again has place for the last asking only', async () => {
    const uuid = await create(1)
    const [first, second] = [await ask(uuid, 'carol'), await ask(uuid, 'carol')]
    expect([first.status, second.status]).toEqual([200, 200])
    expect(await funds.pay(String(first.body.pr))).toMatchObject({ status: 400, body: { code: 'OTHER' } })
    expect((await funds.pay(String(second.body.pr))).status).toBe(200)
    expect(await ask(uuid, 'carol')).toEqual(full)
    expect(await credited()).toBe(AMOUNT)
  })

  test.each([1, 3])('by one payer who asks and pays twenty times at once is paid %i times at most', async (places) => {
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
  })

  test('has place again for another when an asking has ended unpaid', async () => {
    const uuid = await create(1)
    const { body } = await ask(uuid, 'erin')
    expect(await ask(uuid, 'frank')).toEqual(full)
    await db().query(
      { name: 'test_end_invoice', text: `update invoices set expires_at = now() where invoice = $1 returning id` },
      [body.pr],
    )
    expect((await ask(uuid, 'frank')).status).toBe(200)
    expect(await funds.pay(String(body.pr))).toMatchObject({ status: 400 })
  })

  test('is over for every asking at its own end', async () => {
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
