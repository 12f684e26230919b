import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { NWCClient } from '@getalby/sdk/nwc'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { IMPLEMENTED_COMMANDS } from '@/lib/backend/methods'
import { describeOnEmbedded } from '@/test/databases/databases'
import { makeTestGateway, pair, USD, type TestGateway } from '@/test/gateway/gateway'
import { loadNwcClient } from '@/test/gateway/nwc-client'
import { expectSound } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeVaspWithTestValues } from '@/test/vasp/test-values'
import type { TestVasp } from '@/test/vasp/vasp'

const OPENING = 1_000_000n
const CENTS = 100

/** What an app receives for the test values, through the gateway simulator and a real relay, with the unmodified client library. */
describeOnEmbedded('An app with @getalby/sdk', (db) => {
  let vasp: TestVasp
  let server: Server
  let gateway: TestGateway
  let app: NWCClient
  let payer: string

  beforeAll(async () => {
    const Client = await loadNwcClient()
    vasp = await makeVaspWithTestValues(db(), { PAYMENT_WAIT_SECONDS: '20' })
    vasp.app.paymentWorker.keepRunning()
    server = createServer((request, response) => void getRequestListener((asked) => vasp.api(asked))(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}/umanwc/v1`
    const supported = IMPLEMENTED_COMMANDS.join(',')
    gateway = await makeTestGateway({ apiBase, publicPem: vasp.pair.publicPem }, { supported })
    payer = await newUser(vasp, { USD: OPENING, SAT: 0n })
    const uri = await pair(gateway, await vasp.loginToken(payer), { currency: USD, budget: '500.00' })
    app = new Client({ nostrWalletConnectUrl: uri })
  })
  afterAll(async () => {
    app.close()
    await gateway.close()
    await vasp.app.paymentWorker.stop()
    server.closeAllConnections()
    server.close()
    await expectSound(db())
  })

  /** UMA's commands are not in the library's types, but the library sends any method. */
  const call = async (method: string, params: object): Promise<Record<string, unknown>> => {
    const send = app as unknown as {
      executeNip47Request(
        method: string,
        params: object,
        isValid: (result: unknown) => boolean,
        timeouts: { replyTimeout: number },
      ): Promise<Record<string, unknown>>
    }
    return send.executeNip47Request(method, params, () => true, { replyTimeout: 40_000 })
  }
  const receiver = (name: string) => ({ receiver: { lud16: `$${name}@localhost:3000` } })
  const lookUp = (name: string) => call('lookup_user', receiver(name))
  const payToAddress = (name: string) =>
    call('pay_to_address', { ...receiver(name), sending_currency_code: 'USD', sending_currency_amount: CENTS })
  const quote = (name: string) =>
    call('fetch_quote', {
      ...receiver(name),
      sending_currency_code: 'USD',
      receiving_currency_code: 'SAT',
      locked_currency_amount: CENTS,
      locked_currency_side: 'sending',
    })
  const execute = ({ payment_hash }: Record<string, unknown>) => call('execute_quote', { payment_hash })

  /** The code of the error, or `paid`. */
  const outcome = async (work: Promise<Record<string, unknown>>): Promise<string> =>
    work.then(
      ({ preimage }) => (typeof preimage === 'string' ? 'paid' : 'answered'),
      (error: unknown) => (error as { code?: string }).code ?? String(error),
    )
  const spent = async () => OPENING - (await walletOf(db(), payer, 'USD')).available

  it.each([
    ['declined', ['answered', 'PAYMENT_FAILED'], 0],
    ['blocked', ['RESTRICTED', 'RESTRICTED'], 0],
    ['unreachable', ['OTHER', 'OTHER'], 0],
    ['nobody', ['NOT_FOUND', 'NOT_FOUND'], 0],
    ['satonly', ['answered', 'paid'], 1],
    ['threecoins', ['answered', 'paid'], 1],
    ['blink', ['answered', 'paid'], 1],
  ])('looks up and pays $%s: %s', async (name, expected, payments) => {
    const before = await spent()
    expect(await Promise.all([outcome(lookUp(name)), outcome(payToAddress(name))])).toEqual(expected)
    expect((await spent()) - before).toBe(BigInt(payments * CENTS))
  })

  it('pays $flaky by quote: PAYMENT_FAILED at first, then paid on retry, and a further repetition pays nothing', async () => {
    const before = await spent()
    const quoted = await quote('flaky')
    const outcomes = [await outcome(execute(quoted)), await outcome(execute(quoted)), await outcome(execute(quoted))]
    expect(outcomes).toEqual(['PAYMENT_FAILED', 'paid', 'paid'])
    expect((await spent()) - before).toBe(BigInt(CENTS))
  })

  it('creates an invoice with [expired], which has expired, and one with [autopay 1s], which is paid', async () => {
    const expired = await app.makeInvoice({ amount: 5_000_000, description: 'Tea [expired]' })
    expect(expired.expires_at * 1_000).toBeLessThanOrEqual(Date.now())
    const { payment_hash } = await app.makeInvoice({ amount: 5_000_000, description: 'Tea [autopay 1s]' })
    expect((await app.lookupInvoice({ payment_hash })).settled_at).toBeFalsy()
    await expect.poll(async () => (await app.lookupInvoice({ payment_hash })).settled_at).toBeTruthy()
  })
})
