import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import type { Database } from './database'
import { openDatabase } from './open-database'
import { missingMigrations } from './postgres'
import { sqlState } from './sql-state'

const DEFERRED_REFUSAL = 'TS001'

describeOnBothEngines('The database handle', (db) => {
  test('64-bit integers, arrays of them and counts are read as bigint', async () => {
    const [row] = await db().query({
      name: 'integers',
      text: `select 9007199254740993::bigint as large, 1::bigint as small, count(*) as counted, sum(3::bigint)::bigint as summed,
               array[1, -9223372036854775808, null]::bigint[] as list, array[]::bigint[] as empty, 5 as int4 from users`,
    })
    expect(row).toEqual({
      large: 9_007_199_254_740_993n,
      small: 1n,
      counted: 0n,
      summed: null,
      list: [1n, -9_223_372_036_854_775_808n, null],
      empty: [],
      int4: 5,
    })
  })

  test('bigints, lists, nulls and times are read back unchanged', async () => {
    const at = new Date('2026-11-21T23:59:59.123Z')
    const text =
      'select $1::bigint as number, $2::text[] as list, $3::text as nothing, $4::timestamptz as at, $5::bigint[] as numbers'
    const params = [2n ** 62n, ['a,b', '"c"', ''], null, at, [1n, 2n]]
    expect(await db().query({ name: 'echo', text }, params)).toEqual([
      { number: 2n ** 62n, list: ['a,b', '"c"', ''], nothing: null, at, numbers: [1n, 2n] },
    ])
  })

  test('plain SQL and Prisma read the same instant whatever the server’s time zone', async () => {
    await addUser(db(), 'zoe')
    const [row] = await db().query<{ created_at: Date }>({
      name: 'created',
      text: `select created_at from users where id = 'zoe'`,
    })
    const user = await db().prisma.user.findUniqueOrThrow({ where: { id: 'zoe' } })
    expect(user.createdAt).toEqual(row?.created_at)
    expect(Math.abs(Date.now() - user.createdAt.getTime())).toBeLessThan(60_000)
    const expiresAt = new Date('2026-07-01T12:00:00.000Z')
    await db().prisma.session.create({ data: { id: 'zoe-session', userId: 'zoe', expiresAt } })
    expect(await db().query({ name: 'expires', text: 'select expires_at from sessions' })).toEqual([
      { expires_at: expiresAt },
    ])
  })

  test('a transaction whose COMMIT fails is reported as failed, with the reason', async () => {
    await refuseAtCommit(db())
    const outcome = db().prisma.$transaction(async (tx) => {
      await tx.$executeRawUnsafe(`insert into refused_at_commit values (1)`)
      return 'all is well'
    })
    expect(await failure(outcome)).toBe(DEFERRED_REFUSAL)
    expect(await db().query({ name: 'refused', text: 'select * from refused_at_commit' })).toEqual([])
    // The connection can run the next transaction.
    expect(await db().prisma.$transaction(async (tx) => tx.user.count({ where: { id: 'nobody' } }))).toBe(0)
  })

  test('a transaction whose body throws writes nothing and rejects with that error', async () => {
    const outcome = db().prisma.$transaction(async (tx) => {
      await tx.user.create({ data: { id: 'ghost', displayName: 'Ghost', passwordHash: 'none' } })
      throw new Error('changed my mind')
    })
    await expect(outcome).rejects.toThrow('changed my mind')
    expect(await db().prisma.user.count({ where: { id: 'ghost' } })).toBe(0)
  })

  test('forty concurrent transactions all complete', async () => {
    const { prisma } = db()
    const all = Array.from({ length: 40 }, () =>
      prisma.$transaction(async (tx) => tx.$queryRaw`select pg_sleep(0.01)::text`),
    )
    expect(await Promise.all(all)).toHaveLength(40)
  })

  test('plain SQL, models and raw queries report the same SQLSTATE for the same failure', async () => {
    await addUser(db(), 'yann')
    const again = { id: 'yann', displayName: 'Yann', passwordHash: 'none' }
    expect(await failure(addUser(db(), 'yann'))).toBe('23505')
    expect(await failure(db().prisma.$executeRaw`insert into users values ('yann', 'Yann', 'none')`)).toBe('23505')
    expect(await failure(db().prisma.user.create({ data: { ...again, id: 'NOT A NAME' } }))).toBe('23514')
    expect(await failure(db().query({ name: 'plain_raise', text: `do $$ begin raise 'no'; end $$` }))).toBe('P0001')
    expect(await failure(db().query({ name: 'no_table', text: 'select * from nowhere' }))).toBe('42P01')
  })
})

describeOnPostgres('A PostgreSQL server', (server) => {
  test('a refused connection prevents startup with one line that does not show the password', async () => {
    const url = new URL(await server.createMigratedDatabase())
    url.password = 'hush-hush'
    const error = await open(url.href).catch((reason: unknown) => reason)
    expect(error).toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^DATABASE_URL: the server refused the connection \([^\n]*$/) as string,
    })
    expect(String(error)).not.toContain('hush-hush')
  })

  test('a user who may not create tables, or not read those of another user, prevents startup with one line', async () => {
    const name = `guest_${randomBytes(4).toString('hex')}`
    const asGuest = (url: string): string => Object.assign(new URL(url), { username: name, password: 'hush-hush' }).href
    await onServer(server.adminUrl, `create role ${name} login password 'hush-hush'`)
    // May create tables in the schema that is there, but no schema.
    const half = await server.createDatabase()
    await onServer(half, 'grant all on schema public to public')
    const migrated = await server.createMigratedDatabase()
    try {
      for (const url of [await server.createDatabase(), migrated, half]) {
        const error = await open(asGuest(url)).catch((reason: unknown) => reason)
        expect(error).toMatchObject({
          name: 'StartError',
          message: expect.stringMatching(
            /^DATABASE_URL: the server refuses this user \(permission denied [^\n]*must own the database[^\n]*$/,
          ) as string,
        })
        expect(String(error)).not.toContain('hush-hush')
      }
      // What an operator's command asks before it opens the database.
      await expect(missingMigrations(asGuest(migrated))).rejects.toMatchObject({ name: 'StartError' })
    } finally {
      await onServer(server.adminUrl, `drop database ${new URL(half).pathname.slice(1)}`)
      await onServer(server.adminUrl, `drop role ${name}`)
    }
  })

  test('a read-only database prevents startup with one line', async () => {
    const url = await server.createDatabase()
    await onServer(url, `alter database ${new URL(url).pathname.slice(1)} set default_transaction_read_only = on`)
    expect(await open(url).catch((reason: unknown) => reason)).toMatchObject({
      name: 'StartError',
      message: expect.stringMatching(/^DATABASE_URL: the database there is read-only, [^\n]*primary[^\n]*$/) as string,
    })
  })

  test('a pool whose connections were all cut answers the next query', async () => {
    const said: string[] = []
    const db = await openDatabase({
      databaseUrl: await server.createMigratedDatabase(),
      dataDir: '',
      log: (message) => said.push(message),
    })
    await db.query({ name: 'one', text: 'select 1 as one' })
    await db.prisma
      .$executeRaw`select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`
    const cut = db.query({ name: 'cut', text: 'select pg_terminate_backend(pg_backend_pid())' })
    expect(await failure(cut)).toBe('57P01')
    expect(await db.query({ name: 'one', text: 'select 1 as one' })).toEqual([{ one: 1 }])
    await db.close()
  })

  test('a pool keeps its own limits when the URL sets options', async () => {
    const db = await open(`${await server.createMigratedDatabase()}?options=-c%20work_mem%3D8MB`)
    const text = `select name, setting from pg_settings
      where name in ('TimeZone', 'statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout', 'work_mem') order by name collate "C"`
    expect(await db.query({ name: 'limits', text })).toEqual([
      { name: 'TimeZone', setting: 'UTC' },
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: '2000' },
      { name: 'statement_timeout', setting: '5000' },
      { name: 'work_mem', setting: '8192' },
    ])
    await db.close()
  })
})

function open(databaseUrl: string): Promise<Database> {
  return openDatabase({ databaseUrl, dataDir: '', log: () => {} })
}

async function onServer(url: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(sql)
  await client.end()
}

async function addUser(db: Database, id: string): Promise<void> {
  await db.query(
    { name: 'add_user', text: `insert into users (id, display_name, password_hash) values ($1, 'Test', 'none')` },
    [id],
  )
}

/** The SQLSTATE of the failure; `succeeded` when there was none. */
async function failure(outcome: Promise<unknown>): Promise<string | undefined> {
  return outcome.then(() => 'succeeded', sqlState)
}

async function refuseAtCommit(db: Database): Promise<void> {
  await db.query({ name: 'deferred_table', text: 'create table refused_at_commit (id integer)' })
  await db.query({
    name: 'deferred_function',
    text: `create function refuse() returns trigger language plpgsql as
             $$ begin raise exception 'refused at commit' using errcode = '${DEFERRED_REFUSAL}'; end $$`,
  })
  await db.query({
    name: 'deferred_trigger',
    text: `create constraint trigger refuse after insert on refused_at_commit deferrable initially deferred
             for each row execute function refuse()`,
  })
}
