import { randomUUID } from 'node:crypto'
import { beforeEach, expect, it, vi } from 'vitest'
import { openSession, userOfSession } from '@/lib/accounts/sessions/session-store'
import { readWallets } from '@/lib/ledger/accounts'
import { processSingletons } from '@/lib/platform/process-singletons'
import { findPayableUser } from '@/lib/uma/find-payable-user'
import { listWallets } from '@/lib/wallets/queries'
import { describeOnBothEngines } from '@/test/databases/databases'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { pageSession } from '@/test/vasp/page-user'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { POST } from './wallet/route'

let username = ''
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  sessionOfRequest: async () => pageSession(username),
}))

describeOnBothEngines('The default wallet', (db) => {
  let vasp: TestVasp
  beforeEach(async () => {
    vasp = await makeTestVasp(db())
    processSingletons().set('application', vasp.app)
    username = await newUser(vasp, { USD: 10_000n, EUR: 10_000n, SAT: 10_000_000n })
  })

  const choose = async (wallet: string): Promise<string> => {
    const answer = await POST(
      new Request('http://localhost:3000/settings', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: username, wallet }),
      }),
    )
    return answer.headers.get('location') ?? `${answer.status}`
  }
  /** The order for payments, at login, in `/info`, for payers of the user's address without and with a signed message, and on pages. */
  const orders = async (): Promise<string[][]> => {
    const sessionId = randomUUID()
    await openSession(db(), sessionId, username)
    const info = await vasp.get('/info', await vasp.connectionToken(username, ['get_info']))
    const nonce = { domain: 'vasp.example', nonce: randomUUID(), verifiedAt: new Date() }
    const payable = await Promise.all([findPayableUser(db(), username), findPayableUser(db(), username, nonce)])
    return [
      (await readWallets(db(), username)).map(({ code }) => code),
      [...((await userOfSession(db(), sessionId))?.currencyCodes ?? [])],
      (info.body.currencies as { currency: { code: string } }[]).map(({ currency }) => currency.code),
      ...payable.map((found) => (typeof found === 'string' ? [] : found.wallets.map(({ code }) => code))),
      (await listWallets(db(), username, vasp.app.rates.current().rateOf)).map(({ currency }) => currency.code),
    ]
  }
  const everywhere = (order: readonly string[] | undefined): unknown[] => Array.from({ length: 6 }, () => order)
  /** The wallet that an app's payment is taken from when it names none. */
  const paysFrom = async (): Promise<string[]> => {
    const payee = await newUser(vasp, { SAT: 0n })
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', 1_000n)
    const before = await readWallets(db(), username)
    const token = await vasp.connectionToken(username, ['pay_invoice'])
    expect((await vasp.post('/payments/bolt11', token, { invoice })).status).toBe(200)
    const after = await readWallets(db(), username)
    return before.flatMap(({ code, available }) =>
      after.some((wallet) => wallet.code === code && wallet.available < available) ? [code] : [],
    )
  }

  it('comes first at login, in /info, for payments and for payers, and the others keep their order', async () => {
    expect(await orders()).toEqual(everywhere(['USD', 'EUR', 'SAT']))
    expect(await paysFrom()).toEqual(['USD'])
    for (const [wallet, order] of [
      ['SAT', ['SAT', 'USD', 'EUR']],
      ['EUR', ['EUR', 'USD', 'SAT']],
      ['USD', ['USD', 'EUR', 'SAT']],
    ] as const) {
      expect(await choose(wallet)).toBe('/settings?done=wallet')
      expect(await orders()).toEqual(everywhere(order))
      expect(await paysFrom()).toEqual([wallet])
    }
  })

  it('is one of those chosen at the same instant, and no choice fails', async () => {
    const wallets = ['USD', 'EUR', 'SAT']
    const many = Array.from({ length: 12 }, (_, index) => wallets[index % 3] ?? '')
    expect(await Promise.all(many.map(choose))).toEqual(many.map(() => '/settings?done=wallet'))
    const [order] = await orders()
    expect(await orders()).toEqual(everywhere(order))
    expect(order?.toSorted()).toEqual(wallets.toSorted())
  })

  it('is a wallet of the user: another currency is refused at its field, and an unknown one with 400', async () => {
    await choose('EUR')
    expect(await choose('JPY')).toContain('/settings?wallet=JPY&error=wallet.unknown')
    expect(await choose('XYZ')).toBe('400')
    expect((await orders())[0]).toEqual(['EUR', 'USD', 'SAT'])
  })
})
