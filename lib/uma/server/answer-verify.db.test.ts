import { createHash } from 'node:crypto'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newNodeSecret } from '@/test/vasp/keys'
import { newPayer } from '@/test/vasp/leaving'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, read, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { makeUmaServer } from './server'

const HOME = 'http://localhost:3000'

describeOnBothEngines('The verify address of a plain LNURL invoice (LUD-21)', (db) => {
  let vasp: TestVasp
  let answer: ReturnType<typeof makeUmaServer>
  let bob: string
  let pr: string
  let verify: string

  beforeAll(async () => {
    vasp = await makeTestVasp(db(), { UMA_SIGNING_KEY: newNodeSecret(), UMA_ENCRYPTION_KEY: newNodeSecret() })
    answer = makeUmaServer(vasp.app)
  })
  const get = async (url: string): Promise<Answer> => read(await answer(new Request(url)))
  const hashOf = (invoice: string): string => {
    const decoded = decodeInvoice(invoice, 'regtest')
    if (!decoded.ok) throw new Error(decoded.reason)
    return decoded.invoice.paymentHash
  }
  beforeEach(async () => {
    bob = await newUser(vasp, { SAT: 0n })
    const { body } = await get(`${HOME}/uma/pay/${bob}?amount=25000`)
    pr = String(body.pr)
    verify = String(body.verify)
  })

  test('reports an open invoice as not settled, and does not reveal its preimage', async () => {
    expect(verify).toBe(`${HOME}/uma/verify/${hashOf(pr)}`)
    const { status, body, headers } = await get(verify)
    expect([status, body]).toEqual([200, { status: 'OK', settled: false, preimage: null, pr }])
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('cache-control')).toBe('no-store')
  })

  test('gives the preimage of a paid invoice', async () => {
    const payer = await newPayer(vasp, { SAT: 100_000n })
    expect((await payer.pay(pr)).status).toBe(200)
    const { body } = await get(verify)
    expect(body).toMatchObject({ status: 'OK', settled: true, pr })
    const preimage = Buffer.from(String(body.preimage), 'hex')
    expect(createHash('sha256').update(preimage).digest('hex')).toBe(hashOf(pr))
  })

  test('answers 404 for an invoice not created over LNURL and for a malformed hash', async () => {
    const token = await vasp.connectionToken(bob, ['make_invoice'])
    const { body: own } = await vasp.post('/invoice', token, { amount: 25_000 })
    for (const hash of [String(own.payment_hash), '0'.repeat(64), 'x', '%00', `${hashOf(pr)}0`])
      expect(await get(`${HOME}/uma/verify/${hash}`), hash).toMatchObject({
        status: 404,
        body: { status: 'ERROR', reason: 'Not found' },
      })
  })

  test('accepts GET only', async () => {
    const posted = await answer(new Request(verify, { method: 'POST', body: '{}' }))
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
  })
})
