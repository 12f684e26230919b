import { Client } from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { openDatabase } from '@/lib/platform/db/database'
import { sqlState } from '@/lib/platform/db/sql-state'
import { seedUsers } from '@/lib/accounts/seed'
import { testPasswords } from '@/test/passwords'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases'
import { LOCK_WAITS } from '@/test/lock-waits'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp'
import { insertConnection, revokeToday } from './service'
import { freshConnections, hasOpenLogin, listConnections } from './queries'

describeOnBothEngines('revoking all connections from the last 24 hours', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })

  it('ends the connections and closes their logins, so that neither token is valid', async () => {
    const login = await vasp.loginToken('alice')
    const connection = String((await vasp.exchange(login, { permissions: ['get_info'] })).body.token)
    expect([(await vasp.get('/info', login)).status, (await vasp.get('/info', connection)).status]).toEqual([200, 200])
    await revokeToday(db(), 'alice')
    expect([(await vasp.get('/info', login)).status, (await vasp.get('/info', connection)).status]).toEqual([401, 401])
    const exchange = await vasp.exchange(login, { permissions: ['get_info'] })
    expect([exchange.status, exchange.body]).toEqual([401, { error: 'Unauthorized' }])
  })

  it('leaves other users, older connections and later logins unchanged', async () => {
    const bobs = await vasp.loginToken('bob')
    const old = await vasp.loginToken('alice')
    const run = (name: string, text: string, id: string): Promise<unknown> =>
      db().query({ name: `test_${name}`, text }, [id])
    await run('age', `update login_grants set created_at = now() - interval '25 hours' where id = $1`, idOf(old))
    await revokeToday(db(), 'alice')
    const later = await vasp.loginToken('alice')
    for (const token of [bobs, old, later]) expect((await vasp.get('/info', token)).status).toBe(200)
  })

  it('is offered while a login token is valid, even before it has created a connection', async () => {
    expect(await hasOpenLogin(vasp.app, 'yuki')).toBe(false)
    await vasp.loginToken('yuki')
    expect(await hasOpenLogin(vasp.app, 'yuki')).toBe(true)
    await revokeToday(db(), 'yuki')
    expect(await hasOpenLogin(vasp.app, 'yuki')).toBe(false)
  })

  it('is permanent: the database refuses to reopen a closed login', async () => {
    const id = idOf(await vasp.loginToken('khalid'))
    await revokeToday(db(), 'khalid')
    const reopened = db().query(
      { name: 'test_reopen', text: `update login_grants set closed_at = null where id = $1` },
      [id],
    )
    expect(await reopened.catch(sqlState)).toBe('LG001')
  })
})

describeOnBothEngines('a connection’s name', (db) => {
  it('contains the end of a host that is too long, and the notice shows the whole host', async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    const vasp = await makeTestVasp(db())
    const host = `${'wallet-of-your-bank.'.repeat(8)}evil.example`
    const login = idOf(await vasp.loginToken('alice'))
    await db().query({ name: 'test_host', text: `update login_grants set app_host = $2 where id = $1` }, [login, host])
    const connection = { id: crypto.randomUUID(), loginId: login, userId: 'alice', permissions: ['get_info'] }
    expect(await insertConnection(db(), { ...connection, expiresAtSeconds: undefined })).toBe(true)
    const [card] = (await listConnections(vasp.app, 'alice', { tab: 'active' })).connections
    expect(card?.name).toMatch(/^….*\.evil\.example$/)
    expect(card?.name).toHaveLength(80)
    expect(await freshConnections(vasp.app, 'alice')).toMatchObject([{ name: card?.name, appHost: host }])
  })
})

describeOnPostgres('revoking all connections from the last 24 hours during exchanges', (server) => {
  async function withVasp(run: (vasp: TestVasp, databaseUrl: string) => Promise<void>): Promise<void> {
    const databaseUrl = await server.createMigratedDatabase()
    const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    try {
      await seedUsers(db, 'sandbox', testPasswords)
      await run(await makeTestVasp(db), databaseUrl)
    } finally {
      await db.close()
    }
  }

  it('waits for an exchange that is about to commit, and ends its connection', () =>
    withVasp(async (vasp, databaseUrl) => {
      const login = idOf(await vasp.loginToken('alice'))
      const exchange = new Client({ connectionString: databaseUrl })
      await exchange.connect()
      try {
        await exchange.query('begin')
        await exchange.query('update login_grants set exchanges = exchanges + 1 where id = $1', [login])
        await exchange.query(
          `insert into connections (id, user_id, login_grant_id, name, permissions)
           values ('late', 'alice', $1, 'Late', '{get_info}')`,
          [login],
        )
        const revoked = revokeToday(vasp.app.db, 'alice')
        await untilAnotherWaits(exchange)
        await exchange.query('commit')
        await revoked
        const { rows } = await exchange.query(`select revoked_at from connections where id = 'late'`)
        expect((rows as { revoked_at: Date | null }[])[0]?.revoked_at).toBeInstanceOf(Date)
      } finally {
        await exchange.end()
      }
    }))

  it('leaves no valid token, whichever of sixteen exchanges it interrupts', () =>
    withVasp(async (vasp) => {
      for (let round = 0; round < 20; round++) {
        const login = await vasp.loginToken('bob')
        const exchanges = Array.from({ length: 16 }, () => vasp.exchange(login, { permissions: ['get_info'] }))
        // When the first answer arrives, the other exchanges are running, and some are about to commit.
        const revoked = Promise.race(exchanges).then(() => revokeToday(vasp.app.db, 'bob'))
        const [answers] = await Promise.all([Promise.all(exchanges), revoked])
        for (const { status, body } of answers) {
          expect([200, 401]).toContain(status)
          if (status === 200) expect((await vasp.get('/info', String(body.token))).status).toBe(401)
        }
      }
    }))
})

/** Resolves when another connection waits for a lock that this one holds. */
async function untilAnotherWaits(client: Client): Promise<void> {
  for (;;) {
    const { rowCount } = await client.query(LOCK_WAITS)
    if (rowCount !== 0) return
  }
}
