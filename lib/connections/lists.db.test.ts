import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { describeOnBothEngines } from '@/test/databases/databases'
import { rowsRead } from '@/test/databases/rows-read'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import {
  CONNECTIONS_PER_PAGE,
  findConnectionCard,
  freshConnections,
  hasOpenLogin,
  listConnections,
  type ConnectionCard,
  type ConnectionTab,
} from './queries'
import { countUnused, revokeUnused } from './service'

const ACTIVE = 1_000
const ENDED = 3_000
/** One statement inserts this many rows; a statement may take at most five seconds. */
const SLICE = 2_000

const NEWER = `now() - interval '1 day' + n * interval '1 s'`
const OLDER = `now() - interval '2 days' + n * interval '1 s'`

for (const isAnalyzed of [false, true])
  describeOnBothEngines(
    `With ${ACTIVE} active connections, ${ENDED} newer ones that expired and as many that were revoked, in a database that was ${isAnalyzed ? '' : 'never '}analyzed`,
    (db) => {
      let vasp: TestVasp
      beforeAll(async () => {
        await seedUsers(db(), 'sandbox', testPasswords)
        vasp = await makeTestVasp(db())
        const login = idOf(await vasp.loginToken('alice'))
        const make = async (count: number, createdAt: string, columns: string, values: string): Promise<void> => {
          for (let from = 1; from <= count; from += SLICE)
            await db().query(
              {
                name: `test_make_${columns}`,
                text: `insert into connections (id, user_id, login_grant_id, name, permissions, created_at, expires_at, revoked_at)
                       select gen_random_uuid(), 'alice', $1, 'Number ' || n, '{get_info}', ${createdAt}, ${values}
                       from generate_series($2::int, $3::int) n`,
              },
              [login, from, Math.min(from + SLICE - 1, count)],
            )
        }
        // One in ten never expires.
        await make(ACTIVE, OLDER, 'active', `case when n % 10 > 0 then now() + n * interval '1 h' end, null`)
        await make(ENDED, NEWER, 'expired', `now() - n * interval '1 s', null`)
        await make(
          ENDED,
          NEWER,
          'revoked',
          `case when n % 2 = 0 then now() - interval '1 min' end, now() - n * interval '1 s'`,
        )
        const logins = `insert into login_grants (id, user_id, session_id, expires_at, created_at)
                        select 'old ' || n, 'alice', g.session_id, now() - interval '1 day', now() - interval '1 day'
                        from login_grants g, generate_series(1, 5000) n where g.id = $1`
        await db().query({ name: 'test_make_logins', text: logins }, [login])
        if (isAnalyzed) await db().query({ name: 'test_analyze', text: 'analyze' })
      })

      const read = (run: () => Promise<readonly unknown[]>) => rowsRead(db(), ['connections', 'login_grants'], run)
      const everyPage = async (tab: ConnectionTab): Promise<ConnectionCard[]> => {
        const all: ConnectionCard[] = []
        let before: string | undefined
        do {
          const page = await listConnections(vasp.app, 'alice', { tab, before, size: 500 })
          all.push(...page.connections)
          before = page.olderThan ?? undefined
        } while (before !== undefined)
        return all
      }

      it.each<ConnectionTab>(['active', 'ended'])('any page of %s connections reads few rows', async (tab) => {
        const all = await everyPage(tab)
        for (const before of [undefined, all[10]?.id, all[Math.floor(all.length / 2)]?.id]) {
          const page = await read(async () => (await listConnections(vasp.app, 'alice', { tab, before })).connections)
          expect(page.found).toBe(CONNECTIONS_PER_PAGE)
          // The rows of the page and the next one, a login for each, and the connection before the page.
          expect(page.read).toBeLessThanOrEqual(2 * (CONNECTIONS_PER_PAGE + 1) + 1)
        }
      })

      it('the pages contain each connection once, active ones from the newest, ended ones from the last to end', async () => {
        const [active, ended] = [await everyPage('active'), await everyPage('ended')]
        expect([active.length, ended.length]).toEqual([ACTIVE, 2 * ENDED])
        expect(new Set([...active, ...ended].map(({ id }) => id)).size).toBe(ACTIVE + 2 * ENDED)
        expect(active.map(({ name }) => name)).toEqual(active.map((_, index) => `Number ${ACTIVE - index}`))
        expect(new Set(active.map(({ state }) => state))).toEqual(new Set(['active']))
        expect(new Set(ended.map(({ state }) => state))).toEqual(new Set(['expired', 'revoked']))
        const times = ended.map(({ revokedAt, expiresAt }) =>
          Math.min(...[revokedAt, expiresAt].flatMap((at) => (at === null ? [] : at.getTime()))),
        )
        expect(times).toEqual(times.toSorted((a, b) => b - a))
      })

      it('a page that starts at an unknown connection, or at another user’s, is empty', async () => {
        const bobs = idOf(await vasp.connectionToken('bob'))
        for (const before of ['no-such-connection', bobs])
          expect(await listConnections(vasp.app, 'alice', { tab: 'active', before })).toEqual({
            connections: [],
            olderThan: null,
          })
      })

      it('one connection, new connections and open logins are found with few rows', async () => {
        const [first] = (await listConnections(vasp.app, 'alice', { tab: 'active' })).connections
        const one = await read(async () => [await findConnectionCard(vasp.app, 'alice', first?.id ?? '')])
        expect(one.read).toBeLessThanOrEqual(2)
        const fresh = await read(() => freshConnections(vasp.app, 'alice'))
        expect(fresh).toEqual({ found: 0, read: 0 })
        const login = await read(async () => [await hasOpenLogin(vasp.app, 'alice')])
        expect(login.read).toBeLessThanOrEqual(2)
      })

      it('counting and revoking unused connections read no ended ones', async () => {
        const text = `update connections set last_used_at = now() where user_id = 'alice' and right(name, 1) in ('1', '2', '3')`
        await db().query({ name: 'test_use', text }, [])
        const count = await read(async () => [await countUnused(db(), 'alice', 24)])
        expect(count.read).toBeLessThanOrEqual(ACTIVE + 1)
        let revoked = 0
        const last = await read(async () => {
          revoked = await revokeUnused(db(), 'alice', 24)
          return []
        })
        expect(revoked).toBe((ACTIVE * 7) / 10)
        expect(last.read).toBeLessThanOrEqual((ACTIVE * 3) / 10)
      })
    },
  )
