import { beforeAll, beforeEach, expect, it, vi } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { revokeConnection } from '@/lib/connections/service'
import { processSingletons } from '@/lib/platform/process-singletons'
import { describeOnBothEngines } from '@/test/databases/databases'
import { pageUser } from '@/test/vasp/page-user'
import { testPasswords } from '@/test/vasp/passwords'
import { renderPage } from '@/test/vasp/render-page'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import ConnectionPage from './[id]/page'
import ConnectionsPage from './page'

let signedIn = 'alice'
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => pageUser(signedIn),
}))
// It needs a router, which only a browser has.
vi.mock(import('@/components/live-page'), () => ({ LivePage: () => null }))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  isPastTeamGate: async () => true,
}))

const NOT_FOUND = 'NEXT_HTTP_ERROR_FALLBACK;404'
const COUNT = 1_000
/** Twenty entries with the longest names and all permissions. */
const MAX_PAGE_BYTES = 120_000

describeOnBothEngines('The pages of connections', (db) => {
  let vasp: TestVasp
  let ids: string[]
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
    const login = idOf(await vasp.loginToken('alice'))
    const text = `insert into connections (id, user_id, login_grant_id, name, permissions, created_at)
                  select gen_random_uuid(), 'alice', $1, repeat('&', 80), $2::text[], now() - n * interval '1 s'
                  from generate_series(1, ${COUNT}) n returning id, created_at`
    const permissions = vasp.auth.commands
    const rows = await db().query<{ id: string; created_at: Date }>({ name: 'test_make_pages', text }, [
      login,
      permissions,
    ])
    ids = rows.toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime()).map(({ id }) => id)
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    signedIn = 'alice'
  })

  const showList = async (values: Record<string, string> = {}): Promise<string> =>
    renderPage(await ConnectionsPage({ searchParams: Promise.resolve(values) }))
  const showOne = async (id: string, values: Record<string, string> = {}): Promise<string> =>
    renderPage(await ConnectionPage({ params: Promise.resolve({ id }), searchParams: Promise.resolve(values) }))
  const entriesOf = (page: string): string[] => [...page.matchAll(/id="connection-([^"]+)"/g)].map(([, id = '']) => id)
  const olderOf = (page: string): string | undefined => /\?(?:tab=\w+&amp;)?before=([^"&]+)/.exec(page)?.[1]

  it(`stay small with ${COUNT} connections, and lead through all of them, once each`, async () => {
    const found: string[] = []
    let before: string | undefined
    do {
      const page = await showList(before === undefined ? {} : { before })
      expect(page.length).toBeLessThanOrEqual(MAX_PAGE_BYTES)
      found.push(...entriesOf(page))
      before = olderOf(page)
    } while (before !== undefined)
    expect(found).toEqual(ids)
  })

  it('start at the newest connection when the address names no possible id', async () => {
    for (const before of ['a b', 'x'.repeat(65), '\0']) expect(entriesOf(await showList({ before }))[0]).toBe(ids[0])
  })

  it('ask before revoking or renaming, about that connection only', async () => {
    const id = ids[500] ?? ''
    const revoking = await showOne(id, { revoke: '' })
    expect(revoking).toContain('The app loses access on its next call.')
    expect(revoking).toContain('action="/connections/revoke"')
    expect(revoking).toContain(`<input type="hidden" name="id" value="${id}"/>`)
    for (const fact of ['See your address and currencies', 'Last call', 'none yet']) expect(revoking).toContain(fact)
    const renaming = await showOne(id, { rename: '', error: 'name.invalid', name: '\n' })
    expect(renaming).toContain('action="/connections/rename"')
    expect(renaming).toContain('Enter a name of 1 to 80 characters on one line.')
    for (const page of [revoking, renaming]) {
      for (const other of [ids[499], ids[501]]) expect(page).not.toContain(other)
      expect(page.length).toBeLessThanOrEqual(10_000)
    }
    expect(await showOne(id)).not.toContain('action="/connections/revoke"')
  })

  it('offer to rename and revoke on the page of an active connection, before anything else', async () => {
    const page = await showOne(ids[0] ?? '')
    const [rename, revoke, facts] = [`${ids[0]}?rename`, `${ids[0]}?revoke`, 'Requested by'].map((t) => page.indexOf(t))
    expect([rename, revoke].every((at) => (at ?? -1) > 0 && (at ?? 0) < (facts ?? 0))).toBe(true)
  })

  it('mark a connection without a call for 30 days', async () => {
    const id = ids[5] ?? ''
    const text = `update connections set last_used_at = now() - $2 * interval '1 day' where id = $1`
    const lastUsed = (daysAgo: number | null) => db().query({ name: 'test_last_used', text }, [id, daysAgo])
    await lastUsed(29)
    expect(await showOne(id)).not.toContain('Not used for')
    await lastUsed(31)
    expect(await showOne(id)).toContain('Not used for')
    await lastUsed(null)
  })

  it('answer 404 for another user’s connection, whatever the question', async () => {
    signedIn = 'bob'
    for (const question of ['', 'revoke', 'rename'])
      await expect(showOne(ids[0] ?? '', { [question]: '' })).rejects.toThrow(NOT_FOUND)
    expect(entriesOf(await showList({ before: ids[0] ?? '' }))).toEqual([])
  })

  it('list an ended connection under Ended only, and no longer ask to revoke it', async () => {
    const id = idOf(await vasp.connectionToken('bob'))
    signedIn = 'bob'
    expect(entriesOf(await showList())).toEqual([id])
    await revokeConnection(db(), id, 'bob')
    expect([entriesOf(await showList()), entriesOf(await showList({ tab: 'ended' }))]).toEqual([[], [id]])
    expect(await showOne(id, { revoke: '' })).not.toContain('action="/connections/revoke"')
  })

  it('say how many unused connections end, and offer nothing when there are none', async () => {
    const hour = await showList({ 'revoke-unused': '1' })
    expect(hour).toContain('No connection has been unused for 1 hour.')
    expect(hour).not.toContain('action="/connections/revoke-unused"')
    await db().query(
      {
        name: 'test_old',
        text: `update connections set last_used_at = now() - interval '2 days' where id = any ($1::text[])`,
      },
      [ids.slice(0, 30)],
    )
    const day = await showList({ 'revoke-unused': '24' })
    expect(day).toContain('Revoke 30 unused connections?')
    expect(day).toContain('created more than 24 hours ago and has made no call in the last 24 hours')
    expect(await showList({ 'revoke-unused': '5' })).not.toContain('unused for')
  })
})
