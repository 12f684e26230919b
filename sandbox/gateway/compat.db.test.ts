import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Nip47WalletError, NWCClient } from '@getalby/sdk/nwc'
import { getRequestListener } from '@hono/node-server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { IMPLEMENTED_COMMANDS } from '@/lib/backend/methods'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeTestGateway, pair, type TestGateway } from '@/test/gateway/gateway'
import { loadNwcClient } from '@/test/gateway/nwc-client'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { Currency } from './login'

/** The client library that NWC apps use, unchanged, against the simulator over a real relay in front of the real API. */
describeOnBothEngines('@getalby/sdk as an NWC client', (db) => {
  let vasp: TestVasp
  let server: Server
  let gateway: TestGateway
  let alice: NWCClient
  let bob: NWCClient
  let Client: typeof NWCClient

  const connectAs = async (username: string, terms: Parameters<typeof pair>[2] = {}): Promise<NWCClient> => {
    const token = await vasp.loginToken(username)
    const { currencies } = (await vasp.get('/info', token)).body as { currencies: { currency: Currency }[] }
    const currency = currencies[0]?.currency
    if (currency === undefined) throw new Error(`${username} has no currency`)
    return new Client({ nostrWalletConnectUrl: await pair(gateway, token, { currency, ...terms }) })
  }

  beforeAll(async () => {
    Client = await loadNwcClient()
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
    await seedOpeningBalances(db(), vasp.app.house)
    server = createServer((request, response) => void getRequestListener((asked) => vasp.api(asked))(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const apiBase = `http://127.0.0.1:${(server.address() as AddressInfo).port}/umanwc/v1`
    gateway = await makeTestGateway(
      { apiBase, publicPem: vasp.pair.publicPem },
      { supported: IMPLEMENTED_COMMANDS.join(','), buffer: '1.1' },
    )
    alice = await connectAs('alice', { budget: '50.00', frequency: 'monthly' })
    bob = await connectAs('bob')
  })
  afterAll(async () => {
    alice.close()
    bob.close()
    await gateway.close()
    server.closeAllConnections()
    server.close()
  })

  const codeOf = (error: unknown): string => (error as Nip47WalletError).code

  it('reads info and balance', async () => {
    expect(await alice.getInfo()).toMatchObject({
      alias: 'Northbank',
      network: 'regtest',
      lud16: '$alice@localhost:3000',
    })
    expect((await bob.getBalance()).balance).toBe(250_000)
  })

  it('creates an invoice, pays it from a wallet in another currency, looks it up, lists it and sees the budget change', async () => {
    const invoice = await bob.makeInvoice({ amount: 1_500_000, description: 'Tea for two' })
    expect(invoice).toMatchObject({ type: 'incoming', amount: 1_500_000, description: 'Tea for two' })
    const before = await alice.getBalance()
    const { preimage } = await alice.payInvoice({ invoice: invoice.invoice })
    expect(preimage).toMatch(/^[0-9a-f]{64}$/)
    expect((await alice.getBalance()).balance).toBe(before.balance - 150)
    expect((await bob.getBalance()).balance).toBe(251_500)
    expect(await bob.lookupInvoice({ payment_hash: invoice.payment_hash })).toMatchObject({
      preimage,
      amount: 1_500_000,
    })
    const { transactions } = await alice.listTransactions({ limit: 5 })
    expect(transactions).toMatchObject([
      { type: 'outgoing', payment_hash: invoice.payment_hash, description: 'Tea for two' },
    ])
    expect(await alice.getBudget()).toMatchObject({
      used_budget: 1_500_000,
      total_budget: 50_000_000,
      renewal_period: 'monthly',
    })
    const [connection] = gateway.store.connections().filter(({ sub }) => sub === 'alice')
    expect(connection?.cycles).toMatchObject([{ spent: 150, held: 0 }])
  })

  it('receives QUOTA_EXCEEDED when the budget does not allow the payment, and nothing is paid', async () => {
    const small = await connectAs('alice', { budget: '0.01' })
    const { invoice, payment_hash } = await bob.makeInvoice({ amount: 1_000_000 })
    const before = (await alice.getBalance()).balance
    await expect(small.payInvoice({ invoice })).rejects.toSatisfy((error) => codeOf(error) === 'QUOTA_EXCEEDED')
    expect((await alice.getBalance()).balance).toBe(before)
    expect((await bob.lookupInvoice({ payment_hash })).settled_at ?? null).toBeNull()
    small.close()
  })

  it('receives INTERNAL while the VASP is down, and is served again when it is back', async () => {
    const { port } = server.address() as AddressInfo
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
    await expect(alice.getBalance()).rejects.toSatisfy((error) => codeOf(error) === 'INTERNAL')
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    expect((await alice.getBalance()).balance).toBeGreaterThan(0)
  })

  it('pays by keysend, and the recipient receives the payment', async () => {
    const before = (await bob.getBalance()).balance
    const { preimage } = await alice.payKeysend({
      amount: 21_000,
      pubkey: vasp.app.node.identity.publicKeyHex,
      tlv_records: [{ type: 696_969, value: Buffer.from('bob').toString('hex') }],
    })
    expect(preimage).toMatch(/^[0-9a-f]{64}$/)
    expect((await bob.getBalance()).balance - before).toBeGreaterThan(0)
  })
})
