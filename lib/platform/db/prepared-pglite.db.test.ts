import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { preparedDataDir } from '@/test/databases/embedded'
import { PreparedPGlite } from './prepared-pglite'
import { sqlState } from './sql-state'

/** More than are kept. */
const MANY = 700

let dataDir: string
let db: PreparedPGlite
/** As PGlite itself runs a statement in the same database. */
let plain: PGlite['query']

beforeAll(async () => {
  dataDir = await preparedDataDir()
  db = new PreparedPGlite(join(dataDir, 'database'))
  plain = PGlite.prototype.query.bind(db)
  await db.exec('create table people (id integer primary key, name text not null)')
})
afterAll(async () => {
  await db.close()
  rmSync(dataDir, { recursive: true, force: true })
})

async function keptStatements(): Promise<{ name: string; statement: string; calls: number }[]> {
  const text = `select name, statement, (generic_plans + custom_plans)::int as calls from pg_prepared_statements order by name`
  return (await db.query<{ name: string; statement: string; calls: number }>(text)).rows
}

describe('A statement with parameters, in the embedded database', () => {
  test.each([
    [
      'integers',
      'select $1::int8 as a, $2::int4 as b, $3::int2 as c, $4::int8[] as d',
      [2n ** 62n, -7, 3, [1n, -(2n ** 60n)]],
    ],
    [
      'other numbers',
      'select $1::float8 as a, $2::numeric as b, $3::numeric[] as c',
      [1.5, '12345678901234567890.123', ['1', '2.5']],
    ],
    ['bytes', 'select $1::bytea as a, $2::bytea as b', [new Uint8Array([0, 1, 255]), new Uint8Array()]],
    ['JSON', 'select $1::jsonb as a, $2::json as b, $3::jsonb as c', [{ a: [1, null, 'x'] }, [true], 'null']],
    ['text', 'select $1::text as a, $2::varchar as b, $3::text[] as c', ['é\n"\\', '', ['a,b', '"c"', '', null]]],
    [
      'times',
      'select $1::timestamptz as a, $2::date as b, $3::timestamp as c, $4::timestamptz as d',
      [new Date(1.7e12), '2026-11-27', '2026-11-27 10:00', 'infinity'],
    ],
    [
      'nothing',
      'select $1::int8 as a, $2::bytea as b, $3::jsonb as c, $4::text[] as d, $5::boolean as e',
      [null, undefined, null, null, null],
    ],
    ['booleans', 'select $1::boolean as a, $2::boolean as b, array[$3::boolean] as c', [true, false, true]],
    ['no rows', 'select 1 as a where $1::boolean', [false]],
    ['rows of a list', 'select id, id::text as name from unnest($1::int[]) id', [[3, 1, 2]]],
    ['a function without a result', 'select pg_advisory_unlock_all() as a, $1::int as b', [1]],
    ['two columns of one name', 'select $1::int as a, $2::int as a', [1, 2]],
  ])('returns the same as an unprepared one, at each call: %s', async (_, text, params) => {
    for (const options of [
      undefined,
      { rowMode: 'array' as const, parsers: { 20: (value: string) => `int8 ${value}` } },
    ]) {
      const expected = await plain(text, params, options)
      for (let call = 0; call < 7; call++) expect(await db.query(text, params, options)).toEqual(expected)
    }
  })

  test('reports the rows that it changed', async () => {
    const text = `insert into people values ($1, $2), ($1 + 1, $2)`
    expect(await db.query(text, [10, 'Ann'])).toMatchObject({
      affectedRows: 2,
      rowCount: 2,
      rows: [],
      command: 'INSERT',
    })
    expect(await db.query('delete from people where id >= $1 returning id', [10])).toMatchObject({
      affectedRows: 2,
      rows: [{ id: 10 }, { id: 11 }],
    })
  })

  test('is parsed once, and planned at most a few times', async () => {
    const text = 'select name from people where id = $1 and id <> 1001'
    for (let id = 0; id < 20; id++) await db.query(text, [id])
    expect((await keptStatements()).filter(({ statement }) => statement === text)).toEqual([
      { name: expect.any(String) as string, statement: text, calls: 20 },
    ])
  })

  test('that is not SQL is refused at each call, and the next statement runs', async () => {
    const text = 'select $1::int from nowhere'
    for (let call = 0; call < 3; call++) expect(await db.query(text, [1]).catch(sqlState)).toBe('42P01')
    await db.exec('create table nowhere ()')
    expect((await db.query(text, [1])).rows).toEqual([])
  })

  test('that fails returns the error of the database, and runs with other parameters', async () => {
    const text = 'select 10 / $1::int as quotient'
    for (const divisor of [5, 0, 0, 2]) {
      const expected = await plain(text, [divisor]).then(({ rows }) => rows, sqlState)
      expect(await db.query(text, [divisor]).then(({ rows }) => rows, sqlState)).toEqual(expected)
    }
    expect(await db.query(text, ['many']).catch(sqlState)).toBe('22P02')
    expect(await db.query(text, [1, 2]).catch(sqlState)).toBe('08P01')
    expect((await db.query(text, [1])).rows).toEqual([{ quotient: 10 }])
  })

  test('returns the new columns after a change of its table, and writes with the new types', async () => {
    await db.exec(`create table shapes (id integer primary key, size integer); insert into shapes values (1, 2)`)
    const [read, write] = ['select * from shapes where id = $1', 'update shapes set size = $1']
    for (let call = 0; call < 7; call++) {
      expect((await db.query(read, [1])).rows).toEqual([{ id: 1, size: 2 }])
      await db.query(write, [2])
    }
    await db.exec(`alter table shapes add column colour text default 'red', alter column size type text`)
    expect((await db.query(read, [1])).rows).toEqual([{ id: 1, size: '2', colour: 'red' }])
    // The kept parameter is a number, which the column no longer takes.
    const outcomes = [await db.query(write, ['big']).catch(sqlState), await db.query(write, ['big']).catch(sqlState)]
    expect(outcomes.at(-1)).toMatchObject({ affectedRows: 1 })
    await db.exec('drop table shapes')
    expect(await db.query(read, [1]).catch(sqlState)).toBe('42P01')
  })

  test('in a transaction, fails after a change of its table and succeeds in the next one', async () => {
    await db.exec(`create table forms (id integer); insert into forms values (1)`)
    const text = 'select * from forms where id = $1'
    await db.query(text, [1])
    await db.exec('alter table forms add column kind text')
    const inTransaction = () => db.transaction(async (tx) => (await tx.query(text, [1])).rows)
    expect(await inTransaction().catch(sqlState)).toBe('0A000')
    expect(await inTransaction()).toEqual([{ id: 1, kind: null }])
  })

  test('in a transaction that failed, is refused, and the transaction writes nothing', async () => {
    const [insert, known, unknown] = [
      'insert into people values ($1, $2)',
      'select $1::int as one',
      'select $1::int as other',
    ]
    await db.query(known, [1])
    const codes: unknown[] = []
    const failed = db.transaction(async (tx) => {
      await tx.query(insert, [20, 'Bea'])
      await tx.query(insert, [20, 'Bea']).catch((error: unknown) => codes.push(sqlState(error)))
      for (const text of [known, unknown])
        await tx.query(text, [1]).catch((error: unknown) => codes.push(sqlState(error)))
    })
    expect(await failed.catch(sqlState)).toBe('25P02')
    expect(codes).toEqual(['23505', '25P02', '25P02'])
    expect((await db.query('select count(*)::int as count from people where id = $1', [20])).rows).toEqual([
      { count: 0 },
    ])
    for (const text of [known, unknown]) expect((await db.query(text, [1])).rows).toHaveLength(1)
  })

  test('is refused once its transaction has ended', async () => {
    const tx = await db.transaction(async (transaction) => transaction)
    await expect(tx.query('select $1::int', [1])).rejects.toThrow('Transaction is closed')
  })

  test('waits for a transaction in progress, as many at once as there are', async () => {
    const order: string[] = []
    const transaction = db.transaction(async (tx) => {
      await tx.query('insert into people values ($1, $2)', [30, 'Cleo'])
      await new Promise((resolve) => setTimeout(resolve, 20))
      order.push('transaction')
      await tx.rollback()
    })
    const reads = Array.from({ length: 40 }, async (_, index) => {
      const { rows } = await db.query(
        `select $1::int + ${index % 4} as sum, (select count(*)::int from people) as people`,
        [index],
      )
      order.push('read')
      return rows[0]
    })
    await transaction
    expect(await Promise.all(reads)).toEqual(reads.map((_, index) => ({ sum: index + (index % 4), people: 0 })))
    expect(order[0]).toBe('transaction')
  })

  test('notifies its listeners', async () => {
    const heard: string[] = []
    await db.listen('news', (text) => heard.push(text))
    for (const text of ['one', 'two']) await db.query(`select pg_notify('news', $1)`, [text])
    await expect.poll(() => heard).toEqual(['one', 'two'])
  })

  test('is closed when many others were used since, and runs again', async () => {
    const text = (number: number): string => `select $1::int + ${number} as sum`
    for (let number = 0; number < MANY; number++)
      expect((await db.query(text(number), [1])).rows).toEqual([{ sum: number + 1 }])
    const kept = await keptStatements()
    expect(kept).toHaveLength(300)
    expect(kept.map(({ statement }) => statement)).not.toContain(text(0))
    expect(kept.map(({ statement }) => statement)).toContain(text(MANY - 1))
    expect((await db.query(text(0), [1])).rows).toEqual([{ sum: 1 }])
    expect(await keptStatements()).toHaveLength(300)
  })
})

describe('SQL without parameters, in the embedded database', () => {
  test('is not kept, and a script of several statements runs', async () => {
    await db.exec('create table scripted (id int); insert into scripted values (1); drop table scripted')
    await db.query('select 77 as unkept')
    expect((await keptStatements()).map(({ statement }) => statement)).not.toContain('select 77 as unkept')
  })
})
