import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Nip47WalletError, NWCClient } from '@getalby/sdk/nwc'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { IMPLEMENTED_COMMANDS } from '@/lib/backend/methods'
import { expireConnection, expireQuotes } from '@/lib/sandbox/faults/service'
import type { FaultKind } from '@/lib/sandbox/faults/types'
import type { Currency } from '@/sandbox/gateway/login'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeTestGateway, pair, type TestGateway } from '@/test/gateway/gateway'
import { loadNwcClient } from '@/test/gateway/nwc-client'
import { injectFault, withFaultInjector } from '@/test/vasp/faults'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

/** The delays in milliseconds that faults asked for. They end at once. */
const delays = vi.hoisted(() => [] as number[])
vi.mock(import('node:timers/promises'), async (original) => {
  const real = await original()
  const setTimeout: typeof real.setTimeout = (ms, value, options) => {
    if (options?.signal === undefined) return real.setTimeout(ms, value, options)
    delays.push(ms ?? 0)
    return real.setTimeout(0, value, options)
  }
  return { ...real, setTimeout }
})

/** What an app with the unmodified NWC client library receives for each fault, through the gateway simulator. */
describeOnBothEngines('An app over NWC with @getalby/sdk', (db) => {
  let vasp: TestVasp
  let server: Server
  let gateway: TestGateway
  let Client: typeof NWCClient
  const clients: NWCClient[] = []

  beforeAll(async () => {
    Client = await loadNwcClient()
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = withFaultInjector(await makeTestVasp(db()))
    await seedOpeningBalances(db(), vasp.app.house)
    server = createServer((request, response) => vasp.app.faults?.nodeHandler(vasp.auth, {})(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    gateway = await makeTestGateway(
      {
        apiBase: `http://127.0.0.1:${(server.address() as AddressInfo).port}/umanwc/v1`,
        publicPem: vasp.pair.publicPem,
      },
      { supported: IMPLEMENTED_COMMANDS.join(','), buffer: '1.1' },
    )
  })
  afterAll(async () => {
    for (const client of clients) client.close()
    await gateway.close()
    server.closeAllConnections()
    server.close()
  })

  /** A new connection of the user: the app's client, and the token that the gateway holds. */
  async function connect(username: string): Promise<{ app: NWCClient; token: string }> {
    const login = await vasp.loginToken(username)
    const { currencies } = (await vasp.get('/info', login)).body as { currencies: { currency: Currency }[] }
    const known = new Set(gateway.store.connections().map(({ longToken }) => longToken))
    const nostrWalletConnectUrl = await pair(gateway, login, { currency: currencies[0]?.currency as Currency })
    const app = new Client({ nostrWalletConnectUrl })
    clients.push(app)
    const token = gateway.store.connections().find(({ longToken }) => !known.has(longToken))?.longToken ?? ''
    return { app, token }
  }

  const codeOf = async (call: Promise<unknown>): Promise<string> =>
    call.then(
      () => 'success',
      (error: unknown) => (error as Nip47WalletError).code,
    )

  const SEEN: Readonly<Record<Exclude<FaultKind, 'delay'>, string>> = {
    RATE_LIMITED: 'RATE_LIMITED',
    NOT_IMPLEMENTED: 'NOT_IMPLEMENTED',
    INSUFFICIENT_BALANCE: 'INSUFFICIENT_BALANCE',
    PAYMENT_FAILED: 'PAYMENT_FAILED',
    NOT_FOUND: 'NOT_FOUND',
    QUOTA_EXCEEDED: 'QUOTA_EXCEEDED',
    RESTRICTED: 'RESTRICTED',
    UNAUTHORIZED: 'UNAUTHORIZED',
    INTERNAL: 'INTERNAL',
    OTHER: 'OTHER',
    http_429: 'RATE_LIMITED',
    http_500: 'OTHER',
    http_501: 'OTHER',
    invalid_json: 'INTERNAL',
    closed_socket: 'INTERNAL',
  }

  it('receives each fault once, and is then served again', async () => {
    const { app, token } = await connect('alice')
    const seen: Record<string, string> = {}
    for (const kind of Object.keys(SEEN) as FaultKind[]) {
      await injectFault(vasp, token, { kind })
      seen[kind] = await codeOf(app.getBalance())
      expect(await codeOf(app.getBalance()), kind).toBe('success')
    }
    expect(seen).toEqual(SEEN)
  })

  it('receives a late reply for a delay', async () => {
    const { app, token } = await connect('alice')
    await injectFault(vasp, token, { kind: 'delay', seconds: 2 })
    delays.length = 0
    expect((await app.getBalance()).balance).toBeGreaterThan(0)
    expect(delays).toEqual([2_000])
  })

  it.each(['closed_socket', 'invalid_json', 'INTERNAL'] as const)(
    'pays once when it repeats a payment whose response was lost by %s',
    async (kind) => {
      const [payer, payee] = [await connect('alice'), await connect('bob')]
      const { invoice, payment_hash } = await payee.app.makeInvoice({ amount: 1_000_000 })
      const before = (await payer.app.getBalance()).balance
      // The gateway requests the budget estimate first: that call takes the first fault.
      await injectFault(vasp, payer.token, { kind, stage: 'after', calls: 2 })
      expect(await codeOf(payer.app.payInvoice({ invoice }))).not.toBe('success')
      for (let call = 0; call < 2; call += 1) await codeOf(payer.app.getBalance())
      const { preimage } = await payer.app.payInvoice({ invoice })
      expect(await payee.app.lookupInvoice({ payment_hash })).toMatchObject({ preimage })
      expect((await payer.app.getBalance()).balance).toBe(before - 100)
    },
  )

  it('receives OTHER when it pays a quote that was made to expire', async () => {
    const { app, token } = await connect('alice')
    const send = app as unknown as {
      executeNip47Request(method: string, params: object, isValid: () => boolean): Promise<Record<string, unknown>>
    }
    const { payment_hash } = await send.executeNip47Request(
      'fetch_quote',
      {
        receiver: { lud16: '$bob@localhost:3000' },
        sending_currency_code: 'USD',
        receiving_currency_code: 'SAT',
        locked_currency_amount: 100,
        locked_currency_side: 'sending',
      },
      () => true,
    )
    const before = (await app.getBalance()).balance
    expect(await expireQuotes(vasp.app, 'alice', idOf(token), String(payment_hash))).toBe(1)
    expect(await codeOf(send.executeNip47Request('execute_quote', { payment_hash }, () => true))).toBe('OTHER')
    expect((await app.getBalance()).balance).toBe(before)
  })

  it('receives the codes that docs/faults.md documents', () => {
    const table = readFileSync('docs/faults.md', 'utf8').split('## What an app receives over NWC')[1] ?? ''
    const rows = [...table.matchAll(/^\| (`.*?) +\| `(\w+)` +\|$/gm)]
    const documented = rows.flatMap(([, kinds = '', code]) =>
      [...kinds.matchAll(/`(\w+)`/g)].map(([, kind]) => [kind, code] as const),
    )
    const own = Object.entries(SEEN).filter(([kind, code]) => kind !== code)
    expect(Object.fromEntries(documented)).toEqual({
      ...Object.fromEntries(own),
      expire_connection: 'UNAUTHORIZED',
      expire_quote: 'OTHER',
    })
    expect(table).toMatch(/\| An error code +\| The same code/)
    expect(table).toMatch(/\| `delay` +\| None: the reply is late/)
  })

  it('receives UNAUTHORIZED after its connection was made to expire', async () => {
    const { app, token } = await connect('alice')
    expect(await expireConnection(vasp.app, 'alice', idOf(token))).toBe(true)
    expect(await codeOf(app.getBalance())).toBe('UNAUTHORIZED')
  })
})
