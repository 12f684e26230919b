import { randomUUID } from 'node:crypto'
import type { useRouter } from 'next/navigation'
import { Children, isValidElement, type ReactElement, type ReactNode } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { UserHeader } from '@/components/user-header'
import { openSession } from '@/lib/accounts/sessions/session-store'
import { application } from '@/lib/backend/application'
import { processSingletons } from '@/lib/platform/process-singletons'
import { readFrame } from '@/lib/web/frame'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newNodeSecret } from '@/test/vasp/keys'
import { newUser } from '@/test/vasp/money'
import { pageSession, pageUser } from '@/test/vasp/page-user'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { GET as fresh } from '../connections/fresh/route'
import InvoicesPage from '../invoices/page'
import UmaInvoicePage from '../invoices/uma/[uuid]/page'
import { GET as state } from '../invoices/uma/[uuid]/state/route'
import DashboardLayout from '../layout'
import ReceivePage from '../wallets/receive/page'
import { POST as create } from '../wallets/receive/uma/route'
import { PasteForm } from '../wallets/send/send-forms'
import { POST as quote } from '../wallets/send/uma/route'
import { POST as decline } from './decline/route'
import RequestsPage from './page'

let username = ''
let isSignedIn = true
const sessionId = randomUUID()
vi.mock(import('@/app/(dashboard)/require-user'), async () => ({
  requireUser: async () => pageUser(username),
  requireFrame: async () => {
    const frame = await readFrame(application(), sessionId)
    if (frame === null || frame === 'suspended') throw new Error('the session is not open')
    return frame
  },
}))
// The header reads the chosen colours.
vi.mock(import('next/headers'), async (original) => ({
  ...(await original()),
  cookies: async () => ({ get: () => undefined }) as never,
  headers: async () => new Headers(),
}))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  currentUser: async () => pageUser(username),
  sessionOfRequest: async () => (isSignedIn ? pageSession(username) : null),
}))
vi.mock(import('@/lib/web/gateway-address'), () => ({ gatewayAddress: async () => null }))
// Only a browser has a router, and nothing here uses it while it renders.
vi.mock(import('next/navigation'), async (original) => ({
  ...(await original()),
  usePathname: () => '/wallets',
  useRouter: () => ({}) as ReturnType<typeof useRouter>,
}))

/** Next then shows `not-found.tsx`. */
const NOT_FOUND = 'NEXT_HTTP_ERROR_FALLBACK;404'
const searchParams = Promise.resolve({})

/** The header in the layout of every page. */
async function header(): Promise<string> {
  const find = (node: ReactNode): ReactElement | undefined =>
    Children.toArray(node)
      .filter((each) => isValidElement<{ children?: ReactNode }>(each))
      .map((each) => (each.type === UserHeader ? each : find(each.props.children)))
      .find((found) => found !== undefined)
  const found = find(await DashboardLayout({ children: null }))
  if (found === undefined) throw new Error('the layout has no header')
  return renderToStaticMarkup(found)
}

describeOnBothEngines('The pages of UMA invoices and requests', (db) => {
  let on: TestVasp
  let off: TestVasp
  let uuid: string
  beforeAll(async () => {
    const env = {
      SANDBOX_TOOLS: 'off',
      LIGHTNING_NODE_KEY: newNodeSecret(),
      UMA_SIGNING_KEY: newNodeSecret(),
      UMA_ENCRYPTION_KEY: newNodeSecret(),
    }
    on = await makeTestVasp(db(), env)
    off = await makeTestVasp(db(), { ...env, UMA_INVOICES: 'off' })
    username = await newUser(on, { USD: 1_000n })
    await openSession(db(), sessionId, username)
    const wanted = { username, code: 'USD', amount: 500n, expirySeconds: 600, sender: `$${username}@localhost:3000` }
    const made = await on.app.umaInvoices?.sendUmaRequest(on.app, wanted)
    if (made === undefined) throw new Error('there are no UMA invoices')
    uuid = made.uuid
  })
  const use = ({ app }: TestVasp): void => void processSingletons().set('application', app)
  beforeEach(() => use(off))

  const send = async (route: typeof create, fields: Record<string, string>): Promise<[number, string | null]> => {
    const answer = await route(
      new Request('http://localhost:3000/', {
        method: 'POST',
        headers: { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ form_user: username, ...fields }),
      }),
    )
    return [answer.status, answer.headers.get('location')]
  }
  const params = (): Promise<{ uuid: string }> => Promise.resolve({ uuid })

  it('are not found with UMA_INVOICES=off', async () => {
    const pages = [() => RequestsPage({ searchParams }), () => UmaInvoicePage({ params: params() })]
    for (const page of pages) await expect(page()).rejects.toThrow(NOT_FOUND)
    expect((await state(new Request('http://localhost:3000/'), { params: params() })).status).toBe(404)
    use(on)
    for (const page of pages) expect(renderToStaticMarkup(await page())).toContain(username)
    expect((await state(new Request('http://localhost:3000/'), { params: params() })).status).toBe(200)
  })

  it('have forms that are not found either, and do nothing', async () => {
    const requests = await on.app.umaInvoices?.listRequests(db(), username)
    const id = String(requests?.[0]?.id)
    const fields = { 'uma-currency': 'USD', 'uma-amount': '5', request_id: randomUUID() }
    const before = await db().prisma.umaInvoice.count({ where: { userId: username } })
    expect(await send(create, fields)).toEqual([404, null])
    expect(await send(decline, { id })).toEqual([404, null])
    expect(await send(quote, { invoice: 'uma1', wallet: 'USD' })).toEqual([404, null])
    // Nor does a client without a session learn that the form exists.
    isSignedIn = false
    for (const form of [create, decline, quote]) expect(await send(form, fields)).toEqual([404, null])
    isSignedIn = true
    expect(await db().prisma.umaInvoice.count({ where: { userId: username } })).toBe(before)
    expect(await on.app.umaInvoices?.countOpenRequests(db(), username)).toBe(1)
    use(on)
    expect(await send(create, fields)).toEqual([303, expect.stringMatching(/^\/invoices\/uma\//)])
    expect(await send(create, { ...fields, payer: 'nobody' })).toEqual([303, expect.stringContaining('payer.invalid')])
  })

  it('are not linked from the pages that stay', async () => {
    const shown = async () => ({
      header: await header(),
      receive: renderToStaticMarkup(await ReceivePage({ searchParams })),
      request: renderToStaticMarkup(await ReceivePage({ searchParams: Promise.resolve({ tab: 'uma' }) })),
      send: renderToStaticMarkup(PasteForm({ pasted: '', error: undefined })),
      invoices: renderToStaticMarkup(await InvoicesPage({ searchParams })),
      notice: await (await fresh()).json(),
    })
    const without = await shown()
    expect(without.header).toContain('href="/wallets/receive"')
    expect(without.header).not.toContain('/requests')
    for (const page of [without.receive, without.request]) {
      expect(page).toContain('href="/wallets/receive?tab=invoice"')
      expect(page).not.toMatch(/\/wallets\/receive\/uma|tab=uma|UMA invoice|UMA request/)
    }
    expect(without.send).toContain('(<code>lnbcrt…</code>)')
    expect(without.invoices).not.toContain('/invoices/uma/')
    expect(without.notice).toMatchObject({ requests: 0 })
    use(on)
    const usual = await shown()
    expect(usual.header).toContain('href="/requests"')
    expect(usual.receive).toContain('href="/wallets/receive?tab=uma"')
    expect(usual.request).toContain('action="/wallets/receive/uma"')
    expect(usual.send).toContain('(<code>uma1…</code> or <code>lnbcrt…</code>)')
    expect(usual.invoices).toContain(`/invoices/uma/${uuid}`)
    expect(usual.notice).toMatchObject({ requests: 1 })
  })
})
