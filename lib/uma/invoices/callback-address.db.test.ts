import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { makeUmaServer } from '@/lib/uma/server/server'
import { describeOnBothEngines } from '@/test/databases/databases'
import { startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { newNodeSecret } from '@/test/vasp/keys'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, read, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { decodeUmaInvoice } from './codec'
import { createUmaInvoice } from './create'

const HOME = 'http://localhost:3000'

describeOnBothEngines('The callback of a UMA invoice', (db) => {
  let vasp: TestVasp
  let other: OtherVasp
  let answer: ReturnType<typeof makeUmaServer>
  let bob: string
  let uuid: string
  let callback: string

  beforeAll(async () => {
    other = await startOtherVasp()
    vasp = await makeTestVasp(db(), {
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
      UMA_LOCAL_PEERS: other.domain,
    })
    answer = makeUmaServer(vasp.app)
  })
  afterAll(() => other.stop())
  beforeEach(async () => {
    bob = await newUser(vasp, { EUR: 0n })
    const created = await createUmaInvoice(vasp.app, { username: bob, code: 'EUR', amount: 250n, expirySeconds: 600 })
    uuid = created.uuid
    callback = decodeUmaInvoice(created.encoded)?.invoice.callback ?? ''
  })

  /**
   * A pay request as `uma-sdk` 1.6.0 for Python serializes it, with additional fields. The SDK drops `invoice_uuid`.
   */
  const fromPython = (more: Record<string, unknown> = {}, amount = '250.EUR'): string => {
    const identifier = `$wes@${other.domain}`
    const compliance = {
      kycStatus: 'VERIFIED',
      utxos: [],
      nodePubKey: `02${'ab'.repeat(32)}`,
      ...other.sender.signed(identifier),
      utxoCallback: `http://${other.domain}/utxo`,
    }
    return JSON.stringify({
      amount,
      payerData: { identifier, compliance },
      payeeData: { identifier: { mandatory: true }, compliance: { mandatory: true } },
      comment: 'hi',
      convert: 'EUR',
      ...more,
    })
  }
  const post = async (url: string, body: string): Promise<Answer> =>
    read(await answer(new Request(url, { method: 'POST', body })))
  const paidInvoiceOf = async ({ body }: Answer): Promise<unknown> => {
    const text = `select u.uuid from uma_pay_requests r join invoices i on i.id = r.invoice_id
                  join uma_invoices u on u.id = r.uma_invoice_id where i.invoice = $1`
    return (await db().query({ name: 'test_paid_uma_invoice', text }, [String(body.pr)]))[0]?.uuid
  }

  test('the callback of a UMA invoice names the invoice, so a request from the Python SDK without invoiceUUID pays it', async () => {
    expect(callback).toBe(`${HOME}/uma/pay/${bob}/invoice/${uuid}`)
    const answered = await post(callback, fromPython())
    expect(answered.status).toBe(200)
    expect(await paidInvoiceOf(answered)).toBe(uuid)
  })

  test('the callback of a UMA invoice accepts a request that names the same invoice in its body, in upper or lower case', async () => {
    for (const invoiceUUID of [uuid, uuid.toUpperCase()]) {
      const answered = await post(callback, fromPython({ invoiceUUID }))
      expect(await paidInvoiceOf(answered)).toBe(uuid)
    }
  })

  test('the callback of a UMA invoice rejects a request that names another invoice in its body', async () => {
    const { uuid: second } = await createUmaInvoice(vasp.app, {
      username: bob,
      code: 'EUR',
      amount: 250n,
      expirySeconds: 600,
    })
    expect(await post(callback, fromPython({ invoiceUUID: second }))).toMatchObject({
      status: 400,
      body: { code: 'INVALID_INVOICE', reason: expect.stringContaining('invoiceUUID') },
    })
  })

  test('the callback of a UMA invoice rejects another amount, another user’s invoice and another method', async () => {
    expect((await post(callback, fromPython({}, '251.EUR'))).body.code).toBe('AMOUNT_OUT_OF_RANGE')
    const stranger = await newUser(vasp, { EUR: 0n })
    expect((await post(callback.replace(bob, stranger), fromPython())).body.code).toBe('INVALID_INVOICE')
    const got = await answer(new Request(`${callback}?amount=5000`))
    expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST, OPTIONS'])
    expect((await post(`${HOME}/uma/pay/${bob}/invoice/x`, fromPython())).status).toBe(404)
  })

  test('a UMA invoice with a plain callback, as in earlier versions, is paid with invoiceUUID in the body', async () => {
    const answered = await post(`${HOME}/uma/pay/${bob}`, fromPython({ invoiceUUID: uuid }))
    expect(await paidInvoiceOf(answered)).toBe(uuid)
  })

  test('the plain callback rejects a request that names no invoice, and explains why', async () => {
    const { status, body } = await post(`${HOME}/uma/pay/${bob}`, fromPython())
    expect([status, body.code]).toEqual([403, 'FORBIDDEN'])
    expect(body.reason).toMatch(/invoiceUUID.*look.*callback/)
  })
})
