import { Client } from 'pg'
import { describe, expect, test } from 'vitest'
import { openDatabase } from '@/lib/platform/db/open-database'
import type { Database } from '@/lib/platform/db/database'
import type { Statement } from '@/lib/platform/db/statement'
import { readWallets } from '@/lib/ledger/accounts'
import { describeOnPostgres } from '@/test/databases/databases'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp } from '@/test/vasp/vasp'
import { makeCallbackWalk, type Walk } from './callback-walk'

const MINUTE_MS = 60_000
const DAYS_MS = 3 * 86_400_000
const endless = (): boolean => true

/** Walks again after each failure, as the worker does in each round. Returns the number of walks. */
async function walkToTheEnd(walk: Walk, goesOn = endless): Promise<number> {
  for (let times = 1; ; times++) {
    const isDone = await walk(goesOn).then(
      () => true,
      () => false,
    )
    if (isDone) return times
  }
}

describe('The walk over settlements', () => {
  const NOW = new Date('2026-11-22T12:00:00.000Z')

  interface Span {
    readonly fromMs: number
    readonly untilMs: number
  }

  /** A database that reads at most twenty minutes of settlements in one statement, and none while it is down. */
  function busyDatabase(): { db: Database; looked: Span[]; server: { now: Date; isDown: boolean } } {
    const looked: Span[] = []
    const server = { now: NOW, isDown: false }
    const query = async ({ name }: Statement, params: readonly unknown[] = []): Promise<unknown[]> => {
      if (name === 'uma_callbacks_now') return [{ now: server.now }]
      const [fromMs, untilMs] = params.map((at) => Date.parse(String(at))) as [number, number]
      if (server.isDown || untilMs - fromMs > 20 * MINUTE_MS) throw new Error('canceling statement due to timeout')
      looked.push({ fromMs, untilMs })
      return []
    }
    return { db: { query } as unknown as Database, looked, server }
  }

  test('reaches the present in narrower slices when wide ones fail, and skips no part of the three days', async () => {
    const { db, looked } = busyDatabase()
    expect(await walkToTheEnd(makeCallbackWalk(db))).toBe(3)
    const oldestFirst = looked.filter(({ untilMs, fromMs }) => untilMs - fromMs !== MINUTE_MS)
    expect(oldestFirst[0]?.fromMs).toBe(NOW.getTime() - DAYS_MS)
    expect(oldestFirst.at(-1)?.untilMs).toBe(NOW.getTime())
    for (const [index, { untilMs }] of oldestFirst.slice(0, -1).entries())
      expect(oldestFirst[index + 1]?.fromMs).toBe(untilMs)
  })

  test('continues where it was stopped, and queues new settlements before old ones', async () => {
    const { db, looked } = busyDatabase()
    const walk = makeCallbackWalk(db)
    await walkToTheEnd(walk, () => false)
    const old = looked.at(-1)
    looked.length = 0
    await walk(() => false)
    expect(looked).toEqual([
      { fromMs: NOW.getTime() - MINUTE_MS, untilMs: NOW.getTime() },
      { fromMs: old?.untilMs, untilMs: (old?.untilMs ?? 0) + 15 * MINUTE_MS },
    ])
  })

  test('starts one minute before the end of the last successful walk, even after failures', async () => {
    const { db, looked, server } = busyDatabase()
    const walk = makeCallbackWalk(db)
    await walkToTheEnd(walk)
    server.isDown = true
    for (let times = 0; times < 3; times++) await expect(walk(endless)).rejects.toThrow('timeout')
    server.isDown = false
    server.now = new Date(NOW.getTime() + 10_000)
    looked.length = 0
    await walk(endless)
    expect(looked).toEqual([{ fromMs: NOW.getTime() - MINUTE_MS, untilMs: server.now.getTime() }])
  })
})

describeOnPostgres('The first walk over settlements in a full database', (server) => {
  const SETTLED = 60_000
  /** Much too short for one statement over all rows, but long enough for one slice. */
  const TIMEOUT_MS = 500

  test('queues all settlements under a short statement timeout, and reads each table through an index', async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    const client = new Client({ connectionString: databaseUrl })
    await client.connect()
    try {
      await fill(db, client)
      await client.query(`set statement_timeout = ${TIMEOUT_MS}; set random_page_cost = 1.1; set jit = off`)
      let asked: [Statement<unknown>, readonly unknown[]] | undefined
      const hurried: Database = {
        ...db,
        async query<Row>(statement: Statement<Row>, params: readonly unknown[] = []) {
          asked = [statement, params]
          return (await client.query({ ...statement, values: [...params] })).rows as Row[]
        },
      }
      await walkToTheEnd(makeCallbackWalk(hurried))
      const counted = await client.query<{ count: number }>('select count(*)::int as count from uma_callback_outbox')
      expect(counted.rows).toEqual([{ count: SETTLED }])
      // A process that starts later finds them queued already.
      await walkToTheEnd(makeCallbackWalk(hurried))
      expect(await planOf(client, asked)).not.toMatch(/Seq Scan|Hash/)
      await client.query('set statement_timeout = 0; analyze')
      expect(await planOf(client, asked)).not.toMatch(/Seq Scan|Hash/)
    } finally {
      await client.end()
      await db.close()
    }
  })

  async function planOf(client: Client, asked: [Statement<unknown>, readonly unknown[]] | undefined): Promise<string> {
    const [{ text }, params] = asked ?? expect.fail('no statement was sent')
    const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain ${text}`, [...params])
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }

  /**
   * Inserts settlements, all within the last three days and most in one hour. Half are payments of quotes, and half are
   * invoices of pay requests.
   */
  async function fill(db: Database, client: Client): Promise<void> {
    const vasp = await makeTestVasp(db)
    const user = await newUser(vasp, { SAT: 0n })
    const walletId = (await readWallets(db, user))[0]?.walletId
    // Without the ledger's triggers, which check the money and take most of the time.
    await client.query('set session_replication_role = replica')
    await client.query(`create temp table made as
      select n, encode(sha256(int8send(n)), 'hex') as preimage, encode(sha256(sha256(int8send(n))), 'hex') as hash,
             'https://other.example/told/' || n as callback,
             now() - case when n % 10 < 6 then interval '30 hours' + n % 3600 * interval '1 second' else n % 258000 * interval '1 second' end as at
      from generate_series(1::bigint, ${SETTLED}) n`)
    const rates = vasp.app.rates.current().snapshotId
    for (const text of [
      `insert into quotes (payment_hash, invoice, user_id, wallet_id, receiver_address, protocol, locked_side, total_sending_amount, debit,
                           fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier, amount_msats, fee_limit_msats,
                           rate_snapshot_id, remote_callback_url, expires_at)
       select hash, 'x', '${user}', ${walletId}, '$x@other.example', 'uma-1', 'sending', 1, 1000, 0, 0, '{}', 1, 1, 1000, 0, '${rates}', callback, at
       from made where n % 2 = 0`,
      `insert into payments (payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state, preimage, settled_at)
       select hash, 'x', '${user}', ${walletId}, 1000, 1000, '${rates}', 'succeeded', preimage, at from made where n % 2 = 0`,
      `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, expires_at, settled_at, received_msats)
       select hash, preimage, 'x', '${user}', ${walletId}, 1000, at, at, 1000 from made where n % 2 = 1`,
      `insert into uma_pay_requests (invoice_id, protocol, receiver_address, remote_callback_url)
       select i.id, 'uma-1', '$b@localhost:3000', callback from invoices i join made on hash = payment_hash`,
      'set session_replication_role = origin',
    ])
      await client.query(text)
  }
})
