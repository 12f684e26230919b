import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import type { LiveEvent } from '@/lib/events/live-event'
import { createEventRecorder } from '@/lib/events/recorder'
import type { NewEvent } from '@/lib/events/types'
import { processSingletons } from '@/lib/platform/process-singletons'
import { exportedEvents } from '@/lib/sandbox/wire/export'
import { describeOnBothEngines } from '@/test/databases/databases'
import { pageSession } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { GET } from './route'

let session: (ReturnType<typeof pageSession> & { suspended?: boolean }) | null
let pastGate = true
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => pastGate,
  sessionOfRequest: async () => session,
}))

describeOnBothEngines('The export of The Wire', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
    const call = { kind: 'api_call', name: 'GET /balance', status: 200, userId: 'alice' } as const
    await record([
      { ...call, summary: 'one' },
      { ...call, userId: 'bob', summary: 'of bob' },
      { ...call, status: 400, summary: 'OTHER: two\u202E', connectionId: 'c', detail: { request: '{"secret":"x"}' } },
      { kind: 'wallet', name: 'test money added', userId: 'alice', summary: 'three' },
      { kind: 'login', name: 'login refused', summary: 'without an owner' },
    ])
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    session = pageSession('alice')
    pastGate = true
  })

  async function record(events: readonly NewEvent[]): Promise<void> {
    const recorder = createEventRecorder({ db: db(), log: vasp.app.log })
    for (const event of events) recorder.record(event)
    await recorder.close()
  }
  const ask = (query = ''): Promise<Response> =>
    GET(new Request(`${vasp.app.settings.publicOrigin}/developers/wire/export${query}`))
  const summaries = async (query = ''): Promise<string[]> =>
    ((await (await ask(query)).json()) as LiveEvent[]).map(({ summary }) => summary)
  const withSettings = (settings: Partial<TestVasp['app']['settings']>): void =>
    void processSingletons().set('application', { ...vasp.app, settings: { ...vasp.app.settings, ...settings } })

  it("has the events of the page: the reader's own, and those without an owner on a loopback sandbox only", async () => {
    expect(await summaries()).toEqual(['without an owner', 'three', 'OTHER: two\u202E', 'one'])
    withSettings({ teamPassword: 'a team password' })
    expect(await summaries()).toEqual(['three', 'OTHER: two\u202E', 'one'])
    session = pageSession('bob')
    expect(await summaries()).toEqual(['of bob'])
    session = pageSession('yuki')
    expect(await summaries()).toEqual([])
  })

  it('follows the filter of the page', async () => {
    expect(await summaries('?show=api_call')).toEqual(['OTHER: two\u202E', 'one'])
    expect(await summaries('?show=get_balance&status=ok')).toEqual(['one'])
    expect(await summaries('?connection=c')).toEqual(['OTHER: two\u202E'])
    expect(await summaries('?text=THREE')).toEqual(['three'])
  })

  it('is a private file without bodies, and with hidden characters as escapes', async () => {
    const response = await ask()
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': 'attachment; filename="wire-alice.json"',
      'cache-control': expect.stringContaining('no-store') as string,
    })
    const text = await response.text()
    expect(text).toContain(String.raw`OTHER: two\u202e`)
    expect(text).not.toContain('secret')
  })

  it('reads in slices without missing or repeating an event', async () => {
    const reader = { userId: 'alice', withUnowned: true }
    for (const size of [1, 2, 3, 4, 5]) {
      const ids: string[] = []
      for await (const slice of exportedEvents(db(), reader, {}, size))
        ids.push(...slice.map((each) => (JSON.parse(each) as LiveEvent).id))
      expect([ids.length, new Set(ids).size], String(size)).toEqual([4, 4])
    }
  })

  it('sends a stranger to the sign-in page, and answers 404 without the tools and before the team password', async () => {
    session = null
    const { status, headers } = await ask()
    expect([status, headers.get('location')]).toEqual([303, expect.stringContaining('/login')])
    session = pageSession('alice')
    pastGate = false
    expect((await ask()).status).toBe(404)
    pastGate = true
    withSettings({ sandboxTools: false })
    expect((await ask()).status).toBe(404)
    withSettings({})
    session = { ...pageSession('alice'), suspended: true }
    expect((await ask()).status).toBe(403)
  })
})
