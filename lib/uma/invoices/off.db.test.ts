import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { previewUmaInvoice } from '@/lib/quotes/uma-invoice'
import { makeUmaServer } from '@/lib/uma/server/server'
import { describeOnBothEngines } from '@/test/databases/databases'
import { startOtherVasp, type OtherVasp } from '@/test/uma/other-vasp'
import { newNodeSecret } from '@/test/vasp/keys'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, read, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { createUmaInvoice } from './create'

const HOME = 'http://localhost:3000'

describeOnBothEngines('With UMA_INVOICES=off', (db) => {
  let other: OtherVasp
  let on: TestVasp
  let off: TestVasp
  let bob: string

  beforeAll(async () => {
    other = await startOtherVasp()
    const env = {
      LIGHTNING_NODE_KEY: newNodeSecret(),
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
      UMA_LOCAL_PEERS: other.domain,
    }
    on = await makeTestVasp(db(), env)
    off = await makeTestVasp(db(), { ...env, UMA_INVOICES: 'off' })
  })
  afterAll(() => other.stop())
  beforeEach(async () => {
    bob = await newUser(on, { EUR: 0n })
  })

  const ask = async (vasp: TestVasp, method: string, path: string, body?: string): Promise<Answer> =>
    read(await makeUmaServer(vasp.app)(new Request(`${HOME}${path}`, { method, ...(body !== undefined && { body }) })))
  /** A signed pay request of the other VASP for 2.50 EUR. */
  const payRequest = (more: Record<string, unknown>): string =>
    JSON.stringify(other.sender.payRequest(`$wes@${other.domain}`, { amount: '250.EUR', convert: 'EUR', ...more }))
  const umaInvoiceOfBob = () =>
    createUmaInvoice(on.app, { username: bob, code: 'EUR', amount: 250n, expirySeconds: 600 })
  const invoicesOfBob = () => db().prisma.invoice.count({ where: { userId: bob } })

  test.each(['POST', 'GET', 'PUT'])('the addresses of UMA invoices answer %s as unknown ones do', async (method) => {
    const body = method === 'GET' ? undefined : payRequest({})
    const unknown = await ask(off, method, '/uma/nothing', body)
    expect(unknown).toMatchObject({ status: 404, body: { code: 'REQUEST_NOT_FOUND' } })
    for (const path of ['/uma/request', `/uma/pay/${bob}/invoice/${randomUUID()}`]) {
      const { status, body: answered } = await ask(off, method, path, body)
      expect({ path, status, body: answered }).toEqual({ path, status: unknown.status, body: unknown.body })
      expect((await ask(on, method, path, body)).status).not.toBe(404)
    }
    expect(off.recorded.at(-1)).toMatchObject({ name: 'unknown UMA path', status: 404 })
  })

  test('a signed pay request that names a UMA invoice is refused and creates no invoice', async () => {
    const { uuid } = await umaInvoiceOfBob()
    const refused = await ask(off, 'POST', `/uma/pay/${bob}`, payRequest({ invoiceUUID: uuid }))
    expect(refused).toMatchObject({ status: 400, body: { code: 'INVALID_INVOICE' } })
    expect(await invoicesOfBob()).toBe(0)
    expect((await ask(on, 'POST', `/uma/pay/${bob}`, payRequest({ invoiceUUID: uuid }))).status).toBe(200)
    expect(await invoicesOfBob()).toBe(1)
  })

  test('users are found and paid as before', async () => {
    const found = await ask(off, 'GET', `/.well-known/lnurlp/${bob}`)
    expect(found).toMatchObject({ status: 200, body: { tag: 'payRequest' } })
    expect((await ask(off, 'GET', `/uma/pay/${bob}?amount=100000`)).status).toBe(200)
    const query = other.sender.lookUpQuery(`$${bob}@localhost:3000`, '1.0')
    const signed = await ask(off, 'GET', `/.well-known/lnurlp/$${bob}?${query}`)
    const { pathname } = new URL(String(signed.body.callback))
    expect((await ask(off, 'POST', pathname, payRequest({}))).status).toBe(200)
  })

  test('discovery names the versions of UMA and no address for requests', () => {
    expect(on.auth.discovery()).toMatchObject({
      uma_major_versions: [1, 0],
      uma_request_endpoint: `${HOME}/uma/request`,
    })
    const { uma_request_endpoint: endpoint, ...others } = on.auth.discovery()
    expect(endpoint).toBeDefined()
    expect(off.auth.discovery()).toEqual(others)
  })

  test('a pasted UMA invoice is not read, and the user learns what to ask for instead', async () => {
    const { encoded } = await umaInvoiceOfBob()
    expect(await previewUmaInvoice(on.app, bob, encoded)).toMatchObject({ kind: 'invoice' })
    const look = await previewUmaInvoice(off.app, bob, encoded)
    expect(look).toEqual({ kind: 'problem', message: expect.stringContaining('Ask for a Lightning invoice') })
  })
})
