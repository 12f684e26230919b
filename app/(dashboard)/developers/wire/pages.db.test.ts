import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { INVOICE_LOOKUP } from '@/lib/events/live-event'
import { listEvents } from '@/lib/events/queries'
import { createEventRecorder } from '@/lib/events/recorder'
import type { NewEvent } from '@/lib/events/types'
import { processSingletons } from '@/lib/platform/process-singletons'
import { receiversOf } from '@/lib/sandbox/wire/subject'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser } from '@/test/vasp/money'
import { pageUser } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { renderPage } from '@/test/vasp/render-page'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import EventPage from './[id]/page'
import WirePage from './page'

let signedIn = 'alice'
let pastGate = true
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => pageUser(signedIn),
}))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
}))

const NOT_FOUND = 'NEXT_HTTP_ERROR_FALLBACK;404'

describeOnBothEngines('The pages of The Wire', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    signedIn = 'alice'
    pastGate = true
  })

  async function record(event: NewEvent): Promise<string> {
    const recorder = createEventRecorder({ db: db(), log: vasp.app.log })
    recorder.record(event)
    await recorder.close()
    const [stored] = await listEvents({ db: db() }, { userId: event.userId ?? '', withUnowned: true }, { limit: 1 })
    return String(stored?.id)
  }
  const showList = async (values: Record<string, string> = {}): Promise<string> =>
    renderPage(await WirePage({ searchParams: Promise.resolve(values) }))
  const showEvent = async (id: string): Promise<string> =>
    renderToStaticMarkup(await EventPage({ params: Promise.resolve({ id }) }))
  const withSettings = (settings: Partial<TestVasp['app']['settings']>): void =>
    void processSingletons().set('application', {
      ...vasp.app,
      settings: { ...vasp.app.settings, ...settings },
    })

  it('lead from a call that pays to the story of its payment, and from a lookup of the invoice to that of its request', async () => {
    const paymentHash = '7'.repeat(64)
    const call = { kind: 'api_call', userId: 'alice', status: 200, paymentHash } as const
    const pays = await record({ ...call, name: 'POST /payments/bolt11', requestId: 'pays' })
    expect(await showEvent(pays)).toMatch(
      new RegExp(`href="[^"]*story=${paymentHash}"[^>]*>All events of this (?:<!-- -->)?payment<`),
    )
    const polls = await record({ ...call, name: INVOICE_LOOKUP, requestId: 'polls' })
    expect(await showEvent(polls)).toMatch(/href="[^"]*story=polls"[^>]*>All events of this (?:<!-- -->)?request</)
  })

  it('list the events of the user and answer 404 for those of another user', async () => {
    const id = await record({ kind: 'wallet', name: 'test money added', userId: 'bob', summary: 'Bob’s own' })
    expect(await showList()).not.toContain('Bob’s own')
    await expect(showEvent(id)).rejects.toThrow(NOT_FOUND)
    signedIn = 'bob'
    expect(await showList()).toContain(`/developers/wire/${id}`)
    expect(await showEvent(id)).toContain('Bob’s own')
  })

  it('show travel rule information to its owner only, hidden until the reader opens it', async () => {
    const travelRule = { format: 'ivms@101.1', text: '{"originator":"Erika <b>Mustermann</b>\u202e"}' }
    const detail = { travelRule }
    const id = await record({ kind: 'uma_message', name: 'pay request received', userId: 'bob', detail })
    await expect(showEvent(id)).rejects.toThrow(NOT_FOUND)
    signedIn = 'bob'
    const [before = '', hidden = ''] = (await showEvent(id)).split('<details')
    expect(before).not.toContain('Erika')
    expect(hidden.split('</details>')[0]).toContain('Erika &lt;b&gt;Mustermann&lt;/b&gt;\\u202e')
    expect(hidden).toMatch(/^(?! open)[^>]*><summary[^>]*>Show it \(ivms@101\.1\)/)
    expect(await showList()).not.toContain('Erika')
    const unowned = await record({ kind: 'uma_message', name: 'pay request received', detail })
    expect(await showEvent(unowned)).not.toContain('Travel rule')
  })

  it('list counts the failed calls of the user by error code, whatever the filter', async () => {
    signedIn = 'khalid'
    const call = { kind: 'api_call', name: 'GET /balance', userId: 'khalid' } as const
    await record({ ...call, status: 401, summary: 'UNAUTHORIZED: no' })
    await record({ ...call, status: 401, summary: 'UNAUTHORIZED: no' })
    const [, table = ''] = (await showList({ text: 'nothing has this text' })).split('Failed calls by error code')
    expect(table).toMatch(/<code>UNAUTHORIZED<\/code><\/a><\/th><td[^>]*>2<\/td><td[^>]*>2<\/td>/)
  })

  it('show events without an owner on a loopback sandbox only', async () => {
    const id = await record({ kind: 'login', name: 'login refused', summary: 'from a stranger' })
    expect(await showList()).toContain('from a stranger')
    withSettings({ teamPassword: 'a team password' })
    expect(await showList()).not.toContain('from a stranger')
    await expect(showEvent(id)).rejects.toThrow(NOT_FOUND)
  })

  it('answer 404 without the sandbox tools, and before the team password', async () => {
    pastGate = false
    await expect(showList()).rejects.toThrow(NOT_FOUND)
    pastGate = true
    withSettings({ sandboxTools: false })
    await expect(showList()).rejects.toThrow(NOT_FOUND)
    await expect(showEvent('1')).rejects.toThrow(NOT_FOUND)
  })

  it.each(['0', '-1', 'abc', '9'.repeat(40)])('answer 404 for the unknown event %j', async (id) => {
    await expect(showEvent(id)).rejects.toThrow(NOT_FOUND)
  })

  it('show stored text as text', async () => {
    const html = '<img src=x onerror=alert(1)>'
    const id = await record({
      kind: 'api_call',
      name: 'POST /invoice',
      userId: 'alice',
      status: 400,
      failedCheck: 'input',
      summary: html,
      detail: {
        request: JSON.stringify({ description: html }),
        response: JSON.stringify({ code: 'OTHER', message: html }),
        facts: { method: 'POST', path: `/umanwc/v1/invoice/${html}` },
      },
    })
    for (const page of [await showList(), await showEvent(id)]) {
      expect(page).not.toContain('<img')
      expect(page).toContain('&lt;img src=x onerror=alert(1)&gt;')
    }
  })

  it('show the path of an unknown call, and name the base URL that puts two slashes into it', async () => {
    const answer = await vasp.get('//info')
    const [event] = vasp.recorded.slice(-1)
    if (event === undefined) throw new Error('the call was not recorded')
    const id = await record(event)
    expect(answer.status).toBe(404)
    expect(await showList()).toContain('GET /umanwc/v1//info: VASP_UMA_API_BASE_URL of the gateway ends with a slash')
    expect(await showEvent(id)).toContain('<code>GET /umanwc/v1//info</code>')
    expect(await showEvent(id)).toContain('Remove the slash at its end and restart the gateway.')
  })

  it('show the events of one payment as one closed row, which opens to them in order and leads to them alone', async () => {
    signedIn = 'diego'
    const hash = 'd1'.repeat(32)
    const lookup = {
      kind: 'uma_message',
      name: 'address lookup sent',
      durationMs: 20,
      summary: 'to b.example',
    } as const
    await record({ ...lookup, userId: 'diego', requestId: 'paying' })
    await record({ kind: 'payment', name: 'payment succeeded', userId: 'diego', paymentHash: hash, summary: '500 SAT' })
    const call = { kind: 'api_call', name: 'POST /payments/lud16', status: 200, durationMs: 1_500 } as const
    const id = await record({ ...call, userId: 'diego', requestId: 'paying', paymentHash: hash })
    const alone = await record({ ...call, name: 'GET /balance', userId: 'diego', requestId: 'other' })
    const events = async (values: Record<string, string> = {}): Promise<string> =>
      /<section aria-label="Events"([^]*?)<\/section>/.exec(await showList(values))?.[1] ?? ''
    const all = await events()
    expect(all.match(/<details/g)).toHaveLength(1)
    expect(all.split('<details')[0]).toContain(`/developers/wire/${alone}`)
    const [, line = '', steps = ''] = /<details([^]*?)<\/summary>([^]*?)<\/details>/.exec(all) ?? []
    expect(line).toMatch(/^(?! open)[^>]*><summary/)
    expect(line).toMatch(/Paid 500 SAT .*· 3 events · 1\.\d s/)
    expect(line).toContain('✓ 200')
    const [first = '', ...others] = steps.split('<li').slice(1)
    expect(first).toContain(`/developers/wire/${id}`)
    expect(first).toContain('+0 ms')
    expect([first, ...others].map((step) => /<\/svg><span[^>]*>([^<]+)/.exec(step)?.[1])).toEqual([
      'App → VASP',
      'VASP → Other VASP',
      'VASP',
    ])
    expect(steps).toContain(`href="/developers/wire?story=${hash}"`)
    expect(steps).not.toContain('outside the filter')
    expect(await events({ show: 'uma_message' })).not.toContain('<details')
    const only = await showList({ story: hash })
    expect(only).toMatch(/<details[^>]* open=""/)
    expect(only).not.toContain(`/developers/wire/${alone}"`)
    expect(only).toContain('Only the events of one payment or request.')
    expect(only).toContain(`/developers/wire/export?story=${hash}`)
    expect(only).toContain(`<input type="hidden" name="story" value="${hash}"/>`)
    expect(await showEvent(id)).toContain(`href="/developers/wire?story=${hash}"`)
    expect(await events({ text: 'pay' })).toContain('outside the filter')
    signedIn = 'alice'
    expect(await events({ story: hash })).toContain('No event matches.')
  })

  it('name the receiver of the user’s own payment', async () => {
    signedIn = await newUser(vasp, { SAT: 10_000_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const token = await vasp.connectionToken(signedIn, ['pay_to_address'])
    const address = `${payee}@${vasp.app.settings.vaspDomain}`
    vasp.recorded.length = 0
    const { status, body } = await vasp.post('/payments/lud16', token, {
      receiver_address: address,
      sending_currency_code: 'SAT',
      sending_currency_amount: 500,
    })
    expect(status).toBe(200)
    const { payment_hash: hash } = body.quote as { payment_hash: string }
    expect(await receiversOf(db(), signedIn, [hash])).toEqual({ [hash]: address })
    expect(await receiversOf(db(), payee, [hash])).toEqual({})
    for (const event of vasp.recorded) if (event.userId === signedIn) await record(event)
    expect(await showList()).toMatch(new RegExp(`Paid \\$?${address.replaceAll('.', '\\.')} 500 SAT`))
  })

  it('filter by command, connection, status and text together, and page to older events by id', async () => {
    signedIn = 'yuki'
    const call = { kind: 'api_call', userId: 'yuki', status: 200 } as const
    const first = await record({ ...call, name: 'GET /info', connectionId: 'one' })
    const second = await record({ ...call, name: 'GET /balance', connectionId: 'one', status: 401, summary: 'Needle' })
    const third = await record({ ...call, name: 'GET /balance', connectionId: 'two' })
    const shown = async (values: Record<string, string>): Promise<string[]> => {
      const [, list = ''] = /<section aria-label="Events"([^]*?)<\/section>/.exec(await showList(values)) ?? []
      return [first, second, third].filter((id) => list.includes(`href="/developers/wire/${id}"`))
    }
    expect(await shown({ show: 'get_balance' })).toEqual([second, third])
    expect(await shown({ show: 'get_balance', connection: 'one', status: 'failed', text: 'needle' })).toEqual([second])
    expect(await shown({ show: 'login' })).toEqual([])
    expect(await shown({ before: second })).toEqual([first])
  })
})
