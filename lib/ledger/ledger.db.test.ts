import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seedOpeningBalances, seedUsers } from '@/lib/accounts/seed'
import { payInvoice } from '@/lib/payments/pay-invoice'
import type { Database } from '@/lib/platform/db/database'
import { sqlState } from '@/lib/platform/db/sql-state'
import type { Statement } from '@/lib/platform/db/statement'
import { isVaspError } from '@/lib/platform/errors'
import { describeOnBothEngines, describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { FORBIDDEN } from '@/test/texts/forbidden-statements'
import { booksOf, invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { readWallets } from './accounts'
import { mergeLines, type Line } from './conversion'
import { postEntry } from './entry'

const MAX_INT8 = 2n ** 63n - 1n

async function seeded(db: Database): Promise<TestVasp> {
  await seedUsers(db, 'sandbox', testPasswords)
  const vasp = await makeTestVasp(db)
  await seedOpeningBalances(db, vasp.app.house)
  return vasp
}

async function stateOf(run: Promise<unknown>): Promise<string | undefined> {
  try {
    await run
    return 'nothing was refused'
  } catch (error) {
    return isVaspError(error) ? error.code : (sqlState(error) ?? String(error))
  }
}

/** Calls the database function directly. */
const POST: Statement<{ entry_id: bigint; replayed: boolean }> = {
  name: 'test_post_entry',
  text: `select entry_id, replayed from post_entry($1, $2, $3::bigint[], $4::bigint[])`,
}

describeOnBothEngines('post_entry', (db) => {
  let vasp: TestVasp
  let faucet: bigint
  beforeAll(async () => {
    vasp = await seeded(db())
    faucet = vasp.app.house('faucet', 'USD')
  })

  const call = (
    key: string,
    lines: readonly (readonly [bigint, bigint])[],
    kind = 'exchange',
  ): Promise<{ entry_id: bigint; replayed: boolean }[]> =>
    db().query(POST, [kind, key, lines.map(([id]) => id), lines.map(([, amount]) => amount)])

  /** A new user with 1,000 cents, and the account that holds them. */
  const account = async (): Promise<{ id: bigint; balance: () => Promise<bigint> }> => {
    const username = await newUser(vasp, { USD: 1_000n })
    return {
      id: (await walletOf(db(), username, 'USD')).accountId,
      balance: async () => (await walletOf(db(), username, 'USD')).available,
    }
  }

  it('moves the given amounts, and stores the balance after each posting for users but not for the operator', async () => {
    const { id, balance } = await account()
    const [entry] = await call('moves', [
      [id, -300n],
      [faucet, 300n],
    ])
    expect(entry?.replayed).toBe(false)
    expect(await balance()).toBe(700n)
    expect(
      await db().query(
        {
          name: 'test_lines',
          text: `select account_id, amount, balance_after from postings where entry_id = $1 order by amount`,
        },
        [entry?.entry_id],
      ),
    ).toEqual([
      { account_id: id, amount: -300n, balance_after: 700n },
      { account_id: faucet, amount: 300n, balance_after: null },
    ])
  })

  it('posts the same key with the same lines once, in any order, and returns the same entry', async () => {
    const { id, balance } = await account()
    const [first] = await call('once', [
      [id, 50n],
      [faucet, -50n],
    ])
    const [again] = await call('once', [
      [faucet, -50n],
      [id, 50n],
    ])
    expect(again).toEqual({ entry_id: first?.entry_id, replayed: true })
    expect(await balance()).toBe(1_050n)
  })

  it.each([
    ['another amount', [40n, -40n], 'exchange'],
    ['the signs swapped', [-50n, 50n], 'exchange'],
    ['another kind', [50n, -50n], 'faucet'],
    ['no lines', [], 'exchange'],
  ])('refuses a used key with %s, and moves nothing', async (what, amounts, kind) => {
    const { id, balance } = await account()
    await call(`used ${what}`, [
      [id, 50n],
      [faucet, -50n],
    ])
    const lines = amounts.map((amount, index) => [[id, faucet][index] ?? 0n, amount] as const)
    expect(await stateOf(call(`used ${what}`, lines, kind))).toBe('LG002')
    expect(await balance()).toBe(1_050n)
  })

  it('refuses a used key for another user’s account', async () => {
    const [one, other] = [await account(), await account()]
    await call('whose', [
      [one.id, 50n],
      [faucet, -50n],
    ])
    const attempt = call('whose', [
      [other.id, 50n],
      [faucet, -50n],
    ])
    expect(await stateOf(attempt)).toBe('LG002')
    expect([await one.balance(), await other.balance()]).toEqual([1_050n, 1_000n])
  })

  it('frees the key when the entry is refused', async () => {
    const { id, balance } = await account()
    const tooMuch = [
      [id, -1_001n],
      [faucet, 1_001n],
    ] as const
    expect(await stateOf(call('again', tooMuch))).toBe('23514')
    await call('again', [
      [id, -1_000n],
      [faucet, 1_000n],
    ])
    expect(await balance()).toBe(0n)
  })

  it.each<[string, string, (id: bigint) => [bigint, bigint][]]>([
    ['lines that do not sum to zero', 'LG001', (id) => [[id, 5n]]],
    [
      'lines that sum to zero only across currencies',
      'LG001',
      (id) => [
        [id, 5n],
        [vasp.app.house('faucet', 'EUR'), -5n],
      ],
    ],
    ['no lines', 'LG001', () => []],
    [
      'a line of zero',
      '23514',
      (id) => [
        [id, 0n],
        [faucet, 0n],
      ],
    ],
    ['an unknown account', 'LG006', () => [[-1n, 5n]]],
    [
      'an unknown account in addition to balanced lines',
      'LG006',
      (id) => [
        [id, 5n],
        [faucet, -5n],
        [-1n, 7n],
      ],
    ],
    [
      'an overdraft of one unit',
      '23514',
      (id) => [
        [id, -1_001n],
        [faucet, 1_001n],
      ],
    ],
    [
      'a balance beyond 64 bits',
      '22003',
      (id) => [
        [id, MAX_INT8],
        [faucet, -MAX_INT8],
      ],
    ],
  ])('refuses %s with %s and changes nothing', async (what, state, lines) => {
    const { id } = await account()
    const before = await booksOf(db())
    expect(await stateOf(call(`refused ${what}`, lines(id)))).toBe(state)
    expect(await booksOf(db())).toEqual(before)
  })

  it('refuses an amount beyond 64 bits before anything is written', async () => {
    const { id } = await account()
    const before = await booksOf(db())
    const attempt = call('beyond', [
      [id, MAX_INT8 + 1n],
      [faucet, -MAX_INT8 - 1n],
    ])
    expect(await stateOf(attempt)).not.toBe('nothing was refused')
    expect(await booksOf(db())).toEqual(before)
  })

  it('refuses lists of accounts and amounts that differ in length', async () => {
    const { id } = await account()
    const before = await booksOf(db())
    const attempt = db().query(POST, ['exchange', 'lengths', [id, faucet], [5n]])
    expect(['LG006', '23502']).toContain(await stateOf(attempt))
    expect(await booksOf(db())).toEqual(before)
  })

  it('lets the total of a house account exceed the range of a 64-bit integer', async () => {
    const big = 9_000_000_000_000_000_000n
    const one = (await account()).id
    const other = (await account()).id
    await call('big one', [
      [one, big],
      [faucet, -big],
    ])
    await call('big other', [
      [other, big],
      [faucet, -big],
    ])
    const [row] = await db().query<{ total: string }>(
      { name: 'test_house_total', text: `select sum(amount)::text as total from postings where account_id = $1` },
      [faucet],
    )
    expect(BigInt(row?.total ?? 0)).toBeLessThan(-MAX_INT8)
  })

  it('reports an overdraft with a message for the user, and passes other failures through', async () => {
    const { id } = await account()
    const entry = (amount: bigint): { kind: 'exchange'; key: string; lines: Line[] } => ({
      kind: 'exchange',
      key: `words ${amount}`,
      lines: [
        { accountId: id, amount },
        { accountId: faucet, amount: -amount },
      ],
    })
    expect(await stateOf(postEntry(db(), entry(-1_001n)))).toBe('INSUFFICIENT_BALANCE')
    const unbalanced = { ...entry(5n), lines: [{ accountId: id, amount: 5n }] }
    expect(await stateOf(postEntry(db(), unbalanced))).toBe('LG001')
  })

  it('computes the running balance itself, whatever an INSERT supplies', async () => {
    const { id, balance } = await account()
    await transaction(db(), [
      `insert into journal_entries (kind, idempotency_key, content_hash) values ('exchange', 'claimed', '')`,
      `insert into postings (entry_id, account_id, currency_code, amount, balance_after)
       select id, ${id}, 'USD', 5, 999999 from journal_entries where idempotency_key = 'claimed'`,
      `insert into postings (entry_id, account_id, currency_code, amount, balance_after)
       select id, ${faucet}, 'USD', -5, 999999 from journal_entries where idempotency_key = 'claimed'`,
    ])
    expect(await balance()).toBe(1_005n)
    const after = await db().query({
      name: 'test_claimed',
      text: `select balance_after from postings p join journal_entries e on e.id = p.entry_id where e.idempotency_key = 'claimed' order by p.id`,
    })
    expect(after).toEqual([{ balance_after: 1_005n }, { balance_after: null }])
  })

  it('numbers postings in the order of the balances, whatever id an INSERT supplies', async () => {
    const { id } = await account()
    await transaction(db(), [
      `insert into journal_entries (kind, idempotency_key, content_hash) values ('exchange', 'own id', '')`,
      ...[7, -7].map(
        (amount) => `insert into postings (id, entry_id, account_id, currency_code, amount) overriding system value
          select ${-1_000 - amount}, id, ${id}, 'USD', ${amount} from journal_entries where idempotency_key = 'own id'`,
      ),
    ])
    const lines = await db().query<{ balance_after: bigint }>(
      { name: 'test_own_ids', text: `select balance_after from postings where account_id = $1 order by id` },
      [id],
    )
    expect(lines.map((line) => line.balance_after)).toEqual([1_000n, 1_007n, 1_000n])
  })
})

describe('mergeLines', () => {
  it('merges the lines of each account and drops zero sums', () => {
    const line = (accountId: bigint, amount: bigint): Line => ({ accountId, amount })
    expect(mergeLines([line(1n, 5n), line(2n, 3n), line(1n, -5n), line(3n, 0n), line(2n, 1n)])).toEqual([line(2n, 4n)])
  })
})

/** Runs all statements in one transaction. A refused COMMIT counts as a refusal. */
async function transaction(db: Database, statements: readonly string[]): Promise<void> {
  await db.prisma.$transaction(async (tx) => {
    for (const statement of statements) await tx.$executeRawUnsafe(statement)
  })
}

describeOnBothEngines('The database itself refuses', (db) => {
  beforeAll(async () => {
    const vasp = await seeded(db())
    const { invoice } = await invoiceOf(vasp, 'bob', 'SAT', 110_000n)
    const wallets = await readWallets(db(), 'alice')
    await payInvoice(vasp.app, { username: 'alice', connectionId: null, wallets, invoice, amountMsats: undefined })
    await invoiceOf(vasp, 'bob', 'SAT', 220_000n)
  })

  it.each(FORBIDDEN)('$what ($states)', async ({ statements, states }) => {
    const before = await booksOf(db())
    expect(states).toContain(await stateOf(transaction(db(), statements)))
    expect(await booksOf(db())).toEqual(before)
  })
})

describeOnPostgres('The thousandth entry on a connection', (server) => {
  it('is posted without a sequential scan, although its query plan was made for an almost empty table', async () => {
    const url = await server.createMigratedDatabase()
    const vasp = await seeded(await openPatiently(url))
    const ids = await Promise.all(
      [1, 2].map(async () => (await walletOf(vasp.app.db, await newUser(vasp, { USD: 2_000n }), 'USD')).accountId),
    )
    await vasp.app.db.close()
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      const post = (key: number): Promise<unknown> =>
        client.query({ ...POST, values: ['exchange', `entry ${key}`, `{${ids.join()}}`, '{-1,1}'] })
      // From the sixth execution on a connection, PostgreSQL keeps a generic plan.
      for (let entry = 1; entry < 1_000; entry++) await post(entry)
      await client.query('begin')
      await post(1_000)
      await client.query('set constraints all immediate')
      const { rows } = await client.query(
        `select relname, seq_tup_read from pg_stat_xact_user_tables where relname in ('postings', 'journal_entries') order by 1`,
      )
      await client.query('rollback')
      expect(rows).toEqual([
        { relname: 'journal_entries', seq_tup_read: '0' },
        { relname: 'postings', seq_tup_read: '0' },
      ])
    } finally {
      await client.end()
    }
  })
})

describeOnPostgres('Concurrent entries', (server) => {
  let vasp: TestVasp
  let url: string
  beforeAll(async () => {
    url = await server.createMigratedDatabase()
    vasp = await seeded(await openPatiently(url))
  })
  afterAll(() => vasp.app.db.close())

  it('lock accounts in the order of their ids, so that a waiting entry holds no later account', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await walletOf(vasp.app.db, await newUser(vasp, { USD: 500n }), 'USD')).accountId),
    )
    const [low = 0n, high = 0n] = ids.toSorted((a, b) => (a < b ? -1 : 1))
    await withClients(url, 3, async ([blocker, poster, prober]) => {
      await blocker.query('begin')
      await blocker.query('select from ledger_accounts where id = $1 for update', [String(low)])
      const { rows } = await poster.query<{ pid: number }>('select pg_backend_pid() as pid')
      // The account with the higher id comes first.
      const posted = poster.query(POST.text, ['exchange', 'order', `{${high},${low}}`, '{-100,100}'])
      while (!(await isWaiting(prober, rows[0]?.pid))) continue
      await prober.query('begin')
      await prober.query('select from ledger_accounts where id = $1 for update nowait', [String(high)])
      await prober.query('rollback')
      await blocker.query('rollback')
      expect((await posted).rows).toHaveLength(1)
    })
  })

  it('in opposite directions never deadlock, even two hundred at once', async () => {
    const [a = '', b = ''] = await Promise.all([1, 2].map(() => newUser(vasp, { USD: 10_000n })))
    const { db } = vasp.app
    const [from, to] = [(await walletOf(db, a, 'USD')).accountId, (await walletOf(db, b, 'USD')).accountId]
    await Promise.all(
      Array.from({ length: 200 }, (_, index) => {
        const [giver, taker] = index % 2 === 0 ? [from, to] : [to, from]
        return postEntry(db, {
          kind: 'exchange',
          key: `opposite ${index}`,
          lines: [
            { accountId: giver, amount: -7n },
            { accountId: taker, amount: 7n },
          ],
        })
      }),
    )
    expect([(await walletOf(db, a, 'USD')).available, (await walletOf(db, b, 'USD')).available]).toEqual([
      10_000n,
      10_000n,
    ])
  })

  it('with one key create one entry: of fifty concurrent calls, one posts it, and the others return it', async () => {
    const { db, house } = vasp.app
    const username = await newUser(vasp, { USD: 0n })
    const { accountId } = await walletOf(db, username, 'USD')
    const lines = [
      { accountId, amount: 100n },
      { accountId: house('faucet', 'USD'), amount: -100n },
    ]
    const results = await Promise.all(
      Array.from({ length: 50 }, () => postEntry(db, { kind: 'faucet', key: 'fifty', lines })),
    )
    expect(results.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(results.map(({ entryId }) => entryId)).size).toBe(1)
    expect((await walletOf(db, username, 'USD')).available).toBe(100n)
  })

  it('posted to one account by direct statements have balances in the order of their ids', async () => {
    const { db, house } = vasp.app
    const username = await newUser(vasp, { USD: 0n })
    const { accountId } = await walletOf(db, username, 'USD')
    const statement: Statement = {
      name: 'test_direct_entry',
      text: `with entry as (select $1::text as key)
             select post_entry('faucet', key, array[$2::bigint, $3::bigint], array[1::bigint, -1::bigint]) from entry`,
    }
    await Promise.all(
      Array.from({ length: 60 }, (_, index) =>
        db.query(statement, [`direct ${index}`, accountId, house('faucet', 'USD')]),
      ),
    )
    const lines = await db.query<{ balance_after: bigint }>(
      { name: 'test_chain', text: `select balance_after from postings where account_id = $1 order by id` },
      [accountId],
    )
    expect(lines.map((line) => Number(line.balance_after))).toEqual(Array.from({ length: 60 }, (_, index) => index + 1))
  })
})

async function withClients(
  url: string,
  count: 3,
  run: (clients: [Client, Client, Client]) => Promise<void>,
): Promise<void> {
  const clients = Array.from({ length: count }, () => new Client({ connectionString: url })) as [Client, Client, Client]
  try {
    for (const client of clients) await client.connect()
    await run(clients)
  } finally {
    for (const client of clients) await client.end()
  }
}

async function isWaiting(client: Client, pid: number | undefined): Promise<boolean> {
  const { rows } = await client.query('select from pg_locks where pid = $1 and not granted', [pid])
  return rows.length > 0
}
