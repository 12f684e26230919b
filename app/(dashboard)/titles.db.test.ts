import type { Metadata } from 'next'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { listEvents } from '@/lib/events/queries'
import { createEventRecorder } from '@/lib/events/recorder'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { pageUser } from '@/test/vasp/page-user'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import * as connectionPage from './connections/[id]/page'
import * as sendCallPage from './developers/api/[command]/page'
import * as apiPage from './developers/api/page'
import * as errorsPage from './developers/errors/page'
import * as gatewayPage from './developers/gateway/page'
import * as developersPage from './developers/page'
import * as startPage from './developers/start/page'
import * as tokenPage from './developers/token/page'
import * as eventPage from './developers/wire/[id]/page'
import * as wirePage from './developers/wire/page'
import * as invoicePage from './invoices/[hash]/page'
import * as umaInvoicePage from './invoices/uma/[uuid]/page'
import { titleOf } from './page-title'
import * as deskPage from './sandbox/page'
import * as showPage from './show/page'
import * as walletPage from './wallets/[code]/page'
import * as quotePage from './wallets/quotes/[hash]/page'
import * as sentPage from './wallets/sent/[hash]/page'

let signedIn = ''
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => pageUser(signedIn),
}))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => true,
}))

/** Next then shows `not-found.tsx` with its title. */
const NOT_FOUND = 'NEXT_HTTP_ERROR_FALLBACK;404'

interface TitledPage {
  readonly generateMetadata: (props: never) => Promise<Metadata>
}
const titleOn = async ({ generateMetadata }: TitledPage, params: Record<string, string> = {}) =>
  (await generateMetadata({ params: Promise.resolve(params), searchParams: Promise.resolve({}) } as never)).title

describeOnBothEngines('The title of a page', (db) => {
  let vasp: TestVasp
  let payee: string
  beforeAll(async () => {
    vasp = await makeTestVasp(db())
  })
  beforeEach(async () => {
    processSingletons().set('application', vasp.app)
    processSingletons().set('protocol', vasp.auth)
    payee = await newUser(vasp, { SAT: 0n })
    signedIn = await newUser(vasp, { USD: 100_000n, SAT: 10_000_000n })
  })

  it('names a payment’s other party, or its memo, or the start of its hash', async () => {
    const token = await vasp.connectionToken(signedIn, ['pay_invoice', 'pay_to_address', 'fetch_quote'])
    const { invoice, paymentHash } = await invoiceOf(vasp, payee, 'SAT', 1_000n)
    expect((await vasp.post('/payments/bolt11', token, { invoice })).status).toBe(200)
    expect(await titleOn(sentPage, { hash: paymentHash })).toBe(`Payment ${paymentHash.slice(0, 8)}`)
    const address = `$${payee}@localhost:3000`
    const query = {
      sending_currency_code: 'USD',
      receiving_currency_code: 'SAT',
      locked_currency_amount: '100',
      locked_currency_side: 'sending',
      receiver_address: address,
    }
    const quoted = await vasp.get(`/quote/lud16?${new URLSearchParams(query)}`, token)
    expect(await titleOn(quotePage, { hash: String(quoted.body.payment_hash) })).toBe(`Quote: to ${address}`)
    signedIn = payee
    expect(await titleOn(invoicePage, { hash: paymentHash.toUpperCase() })).toBe(`Invoice ${paymentHash.slice(0, 8)}`)
  })

  it('names the call and the status of an event', async () => {
    const recorder = createEventRecorder({ db: db(), log: vasp.app.log })
    recorder.record({ kind: 'api_call', name: 'GET /info', userId: signedIn, status: 403 })
    recorder.record({ kind: 'wallet', name: 'wallets reset', userId: signedIn })
    await recorder.close()
    const events = await listEvents({ db: db() }, { userId: signedIn, withUnowned: false }, { limit: 2 })
    const titles = await Promise.all(events.map(({ id }) => titleOn(eventPage, { id: String(id) })))
    expect(new Set(titles)).toEqual(new Set(['GET /info 403', 'wallets reset']))
  })

  it('is the name of a connection, and the currency of a wallet', async () => {
    const id = idOf(await vasp.connectionToken(signedIn))
    expect(await titleOn(connectionPage, { id })).toMatch(/\S/)
    expect(await titleOn(connectionPage, { id })).not.toBe('Connection')
    expect(await titleOn(walletPage, { code: 'usd' })).toBe('USD wallet')
  })

  it.each([
    ['a payment', sentPage, { hash: 'f'.repeat(64) }],
    ['a quote', quotePage, { hash: 'f'.repeat(64) }],
    ['an invoice', invoicePage, { hash: 'x' }],
    ['a UMA invoice', umaInvoicePage, { uuid: '6f1ed5e4-6d9c-4cf0-9f3c-0f5f0d0f4f10' }],
    ['a connection', connectionPage, { id: '\0' }],
    ['an event', eventPage, { id: '999999999' }],
    ['a command', sendCallPage, { command: 'exchange_token' }],
    ['a wallet', walletPage, { code: 'KWD' }],
  ])('is that of "Not found" for %s that does not exist', async (_, page, params) => {
    await expect(titleOn(page, params)).rejects.toThrow(NOT_FOUND)
  })

  it.each([
    ['Developers', developersPage],
    ['App guide', startPage],
    ['API reference', apiPage],
    ['Gateway kit', gatewayPage],
    ['Token inspector', tokenPage],
    ['Error recipes', errorsPage],
    ['The Wire', wirePage],
    ['Show', showPage],
    ['Sandbox desk', deskPage],
  ])('is that of "Not found" for %s without the sandbox tools', async (title, page) => {
    expect(await titleOn(page)).toBe(title)
    const settings = { ...vasp.app.settings, sandboxTools: false }
    processSingletons().set('application', { ...vasp.app, settings })
    await expect(titleOn(page)).rejects.toThrow(NOT_FOUND)
  })

  it('is short, and whole characters', () => {
    expect(titleOf('Payment', 'abcdefghijk', '\u200b').title).toBe('Payment abcdefgh')
    expect(titleOf('Payment', 'abcdefghijk', '😀'.repeat(61)).title).toBe(`Payment: ${'😀'.repeat(60)}…`)
    expect(titleOf('Payment', 'abcdefghijk', 'x'.repeat(60)).title).toBe(`Payment: ${'x'.repeat(60)}`)
    expect(titleOf('Payment', 'a', 'x'.repeat(900)).title).toHaveLength(70)
  })
})
