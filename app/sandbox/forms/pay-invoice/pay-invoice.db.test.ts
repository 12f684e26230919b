import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { PayAsTestUser } from '@/app/sandbox/slots/pay-as-test-user'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { findInvoice } from '@/lib/invoices/queries'
import { readWallets } from '@/lib/ledger/accounts'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser } from '@/test/vasp/money'
import { pageSession } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { POST } from './route'

let username = 'alice'
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  sessionOfRequest: async () => pageSession(username),
  isPastTeamGate: async () => true,
}))

describeOnBothEngines('The button that pays an own invoice as another test user', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
    await seedUsers(db(), 'sandbox', testPasswords)
    await seedOpeningBalances(db(), vasp.app.house)
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    username = 'alice'
  })

  const invoiceOf = async (amountMsats: bigint | undefined): Promise<string> => {
    const { rateOf: rates } = vasp.app.rates.current()
    const [wallet] = await readWallets(db(), username)
    if (wallet === undefined) throw new Error('no wallet')
    const made = await vasp.app.createInvoice({ username, wallet, amountMsats, rates, description: 'Tea' })
    return made.paymentHash
  }
  const press = async (paymentHash: string): Promise<string> => {
    const answer = await POST(
      new Request('http://localhost:3000/invoices', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: username, payment_hash: paymentHash }),
      }),
    )
    return answer.headers.get('location') ?? `${answer.status}`
  }
  const shown = async (paymentHash: string, amountMsats: bigint | null = 1_000n): Promise<string> => {
    const slot = await PayAsTestUser({ username, paymentHash, amountMsats })
    return slot === null ? '' : renderToStaticMarkup(slot)
  }
  const payersOf = async (paymentHash: string): Promise<string[]> =>
    (await db().prisma.payment.findMany({ where: { paymentHash } })).map(({ userId }) => userId)

  it('pays from the first other test user, once however often it is pressed at the same instant', async () => {
    const hash = await invoiceOf(2_000_000n)
    expect(await shown(hash)).toContain('Pay it as Bob')
    expect(await Promise.all(Array.from({ length: 6 }, () => press(hash)))).toEqual(Array(6).fill(`/invoices/${hash}`))
    expect((await findInvoice(db(), username, hash))?.state).toBe('paid')
    expect(await payersOf(hash)).toEqual(['bob'])
    expect(await press(hash)).toBe(`/invoices/${hash}`)
  })

  it('pays 1,000 satoshis when the payer chooses the amount', async () => {
    const hash = await invoiceOf(undefined)
    expect(await shown(hash, null)).toContain('Pay 1,000 SAT as Bob')
    expect(await press(hash)).toBe(`/invoices/${hash}`)
    expect((await findInvoice(db(), username, hash))?.credited).toBeGreaterThan(0n)
  })

  it('passes over a test user who cannot pay, and says when none can', async () => {
    username = await newUser(vasp, { SAT: 0n })
    expect(await shown('f'.repeat(64))).toContain('Pay it as Alice')
    await db().query({ name: 'test_suspend', text: `update users set status = 'suspended' where id = 'alice'` })
    expect(await shown('f'.repeat(64))).toContain('Pay it as Bob')
    await db().query({ name: 'test_resume', text: `update users set status = 'active' where id = 'alice'` })
    // About 9,000 US dollars: more than any test user has.
    const hash = await invoiceOf(9_000_000_000n)
    expect(await shown(hash, 9_000_000_000n)).toBe('')
    expect(await press(hash)).toMatch(new RegExp(`^/invoices/${hash}\\?.*error=no-payer$`))
    expect(await payersOf(hash)).toEqual([])
  })

  it('refuses an invoice of another user', async () => {
    const hash = await invoiceOf(1_000_000n)
    username = await newUser(vasp, { SAT: 0n })
    expect(await press(hash)).toBe('404')
    expect(await payersOf(hash)).toEqual([])
  })

  it('is not offered and not carried out without the sandbox tools', async () => {
    const hash = await invoiceOf(1_000_000n)
    const settings = { ...vasp.app.settings, sandboxTools: false }
    processSingletons().set('application', { ...vasp.app, settings })
    expect(await shown(hash)).toBe('')
    expect(await press(hash)).toBe('404')
    expect(await payersOf(hash)).toEqual([])
  })
})
