import { Client } from 'pg'
import { beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { openDatabase } from '@/lib/platform/db/open-database'
import { sqlState } from '@/lib/platform/db/sql-state'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { testPasswords } from '@/test/vasp/passwords'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { freshConnections, hasOpenLogin, listConnections } from './queries'
import { countUnused, createConnection, revokeConnection, revokeToday, revokeUnused } from './service'

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

  it('leaves other users, and older and later connections and logins, unchanged', async () => {
    const bobs = [await vasp.loginToken('bob'), await vasp.connectionToken('bob', ['get_info'])]
    const old = [await vasp.loginToken('alice'), await vasp.connectionToken('alice', ['get_info'])]
    const aged = `set created_at = now() - interval '25 hours' where id = any ('{${old.map(idOf).join()}}')`
    // The trigger that fixes the time of creation is off for these statements only.
    const text = `do $aged$ begin
      set local session_replication_role = replica; update login_grants ${aged}; update connections ${aged};
    end $aged$`
    await db().query({ name: 'test_age', text })
    await revokeToday(db(), 'alice')
    const later = [await vasp.loginToken('alice'), await vasp.connectionToken('alice', ['get_info'])]
    for (const token of [...bobs, ...old, ...later]) expect((await vasp.get('/info', token)).status).toBe(200)
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
    expect(await createConnection(vasp.app, { ...connection, expiresAtSeconds: undefined })).toBe('created')
    const [card] = (await listConnections(vasp.app, 'alice', { tab: 'active' })).connections
    expect(card?.name).toMatch(/^….*\.evil\.example$/)
    expect(card?.name).toHaveLength(80)
    expect(await freshConnections(vasp.app, 'alice')).toMatchObject([{ name: card?.name, appHost: host }])
  })
})

describeOnBothEngines('the limit of a user’s active connections', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db(), { MAX_ACTIVE_CONNECTIONS_PER_USER: '3' })
  })
  const exchange = async (username: string, body: object = {}) =>
    vasp.exchange(await vasp.loginToken(username), { permissions: ['get_info'], ...body })
  const connect = async (username: string, body: object = {}): Promise<string> =>
    String((await exchange(username, body)).body.token)

  it('refuses the next exchange with 429 and an error that names the page where connections are revoked', async () => {
    for (let index = 0; index < 3; index += 1) expect((await exchange('alice')).status).toBe(200)
    const refused = await exchange('alice')
    expect([refused.status, Object.keys(refused.body)]).toEqual([429, ['error']])
    expect(refused.body.error).toBe(
      'This user has 3 active connections, which is the maximum. Revoke the unused ones together at http://localhost:3000/connections, then connect again.',
    )
    expect((await listConnections(vasp.app, 'alice', { tab: 'active' })).connections).toHaveLength(3)
    expect((await exchange('bob')).status).toBe(200)
  })

  it('counts neither revoked nor expired connections', async () => {
    const [revoked] = [await connect('yuki'), await connect('yuki'), await connect('yuki')]
    await revokeConnection(db(), idOf(revoked), 'yuki')
    const expired = idOf(await connect('yuki'))
    expect((await exchange('yuki')).status).toBe(429)
    await db().query(
      { name: 'test_expire', text: "update connections set expires_at = now() - interval '1 s' where id = $1" },
      [expired],
    )
    expect((await exchange('yuki')).status).toBe(200)
    expect((await exchange('yuki')).status).toBe(429)
  })

  it('leaves the sign-in its connection: the same login token works once another connection is revoked', async () => {
    const [first] = [await connect('khalid'), await connect('khalid'), await connect('khalid')]
    const login = await vasp.loginToken('khalid')
    const again = () => vasp.exchange(login, { permissions: ['get_info'] })
    for (let index = 0; index < 25; index += 1) expect((await again()).status).toBe(429)
    await revokeConnection(db(), idOf(first), 'khalid')
    expect((await again()).status).toBe(200)
  })

  it('refuses further connections of a user who had more before the limit, and changes none of them', async () => {
    const wide = await makeTestVasp(db(), {}, vasp.pair)
    for (let index = 0; index < 5; index += 1) await wide.connectionToken('penny')
    expect((await exchange('penny')).status).toBe(429)
    expect((await listConnections(vasp.app, 'penny', { tab: 'active' })).connections).toHaveLength(5)
  })
})

describeOnBothEngines('revoking unused connections', (db) => {
  let vasp: TestVasp
  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })
  /** An active connection, created and last used this many hours ago. */
  const make = async (username: string, createdHours: number, usedHours?: number): Promise<string> => {
    const login = idOf(await vasp.loginToken(username))
    const text = `insert into connections (id, user_id, login_grant_id, name, permissions, created_at, last_used_at)
                  values ($1, $2, $3, 'App', '{get_info}', now() - make_interval(hours => $4), now() - make_interval(hours => $5))`
    const id = crypto.randomUUID()
    await db().query({ name: 'test_make_unused', text }, [id, username, login, createdHours, usedHours ?? null])
    return id
  }
  const activeOf = async (username: string): Promise<string[]> =>
    (await listConnections(vasp.app, username, { tab: 'active' })).connections.map(({ id }) => id)

  it('ends those without a call in the period, and keeps new and used ones and those of other users', async () => {
    const [isNew, isUsed] = [await make('alice', 1), await make('alice', 100, 5)]
    for (const used of [undefined, 30]) await make('alice', 100, used)
    const bobs = await make('bob', 100)
    expect(await countUnused(db(), 'alice', 24)).toBe(2)
    expect(await revokeUnused(db(), 'alice', 24)).toBe(2)
    expect(await activeOf('alice')).toEqual([isNew, isUsed])
    expect(await activeOf('bob')).toEqual([bobs])
    expect(await revokeUnused(db(), 'alice', 24)).toBe(0)
  })

  it('ends more than one slice, and frees the places of a user at the limit', async () => {
    const login = idOf(await vasp.loginToken('yuki'))
    const text = `insert into connections (id, user_id, login_grant_id, name, permissions, created_at)
                  select gen_random_uuid(), 'yuki', $1, 'App', '{get_info}', now() - interval '2 days' from generate_series(1, 1200)`
    await db().query({ name: 'test_make_1200', text }, [login])
    expect((await vasp.exchange(await vasp.loginToken('yuki'), { permissions: ['get_info'] })).status).toBe(429)
    expect(await revokeUnused(db(), 'yuki', 24)).toBe(1_200)
    expect((await vasp.exchange(await vasp.loginToken('yuki'), { permissions: ['get_info'] })).status).toBe(200)
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

describeOnPostgres('two instances on one server', (server) => {
  const withTwo = async (
    run: (one: TestVasp, other: TestVasp, databaseUrl: string) => Promise<void>,
  ): Promise<void> => {
    const databaseUrl = await server.createMigratedDatabase()
    const open = () => openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    const [db, otherDb] = [await open(), await open()]
    try {
      await seedUsers(db, 'sandbox', testPasswords)
      const one = await makeTestVasp(db, { MAX_ACTIVE_CONNECTIONS_PER_USER: '30' })
      await run(one, await makeTestVasp(otherDb, { MAX_ACTIVE_CONNECTIONS_PER_USER: '30' }, one.pair), databaseUrl)
    } finally {
      await Promise.all([db.close(), otherDb.close()])
    }
  }

  it('create exactly as many connections as the limit allows, from simultaneous exchanges of different sign-ins', () =>
    withTwo(async (one, other) => {
      for (let round = 0; round < 5; round += 1) {
        const logins = await Promise.all(Array.from({ length: 20 }, () => one.loginToken('alice')))
        const answers = await Promise.all(
          logins.flatMap((login) => [one, other].map((vasp) => vasp.exchange(login, { permissions: ['get_info'] }))),
        )
        expect(answers.filter(({ status }) => status === 200)).toHaveLength(30)
        expect(answers.filter(({ status }) => status === 429)).toHaveLength(10)
        const { connections } = await listConnections(one.app, 'alice', { tab: 'active', size: 100 })
        expect(connections).toHaveLength(30)
        await revokeToday(one.app.db, 'alice')
      }
    }))

  it('never wait for each other in a circle when exchanges, revocations and closing the user happen together', () =>
    withTwo(async (one, other) => {
      for (let round = 0; round < 10; round += 1) {
        const logins = await Promise.all(Array.from({ length: 8 }, () => one.loginToken('bob')))
        const answers = await Promise.all([
          ...logins.map((login, index) =>
            (index % 2 === 0 ? one : other).exchange(login, { permissions: ['get_info'] }),
          ),
          revokeToday(one.app.db, 'bob').then(() => undefined),
          revokeUnused(other.app.db, 'bob', 1).then(() => undefined),
          other.app.db.query({ name: 'test_reset', text: `select reset_user('bob', $1)` }, [`round ${round}`]),
        ])
        for (const answer of answers.slice(0, logins.length))
          expect([200, 401]).toContain((answer as { status: number }).status)
      }
    }))

  it('leave a connection that is in use when its row is locked, and revoke the others without waiting', () =>
    withTwo(async (one, _other, databaseUrl) => {
      const [used, unused] = [idOf(await one.connectionToken('yuki')), idOf(await one.connectionToken('yuki'))]
      const call = new Client({ connectionString: databaseUrl })
      await call.connect()
      try {
        // Created more than an hour ago: the trigger that fixes the time of creation is off for this statement only.
        await call.query(`set session_replication_role = replica`)
        await call.query(`update connections set created_at = now() - interval '2 hours'`)
        await call.query(`set session_replication_role = origin`)
        await call.query('begin')
        await call.query('update connections set last_used_at = now() where id = $1', [used])
        expect(await revokeUnused(one.app.db, 'yuki', 1)).toBe(1)
        await call.query('commit')
        expect(await revokeUnused(one.app.db, 'yuki', 1)).toBe(0)
        const { connections } = await listConnections(one.app, 'yuki', { tab: 'active' })
        expect(connections.map(({ id }) => id)).toEqual([used])
        const ended = await listConnections(one.app, 'yuki', { tab: 'ended' })
        expect(ended.connections.map(({ id }) => id)).toEqual([unused])
      } finally {
        await call.end()
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
