import { randomUUID } from 'node:crypto'
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { rowsRead } from '@/test/databases/rows-read'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { CurrencyCode } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { allActivity, readActivity, readPeriod, SEARCHED, SLICE, type Movement } from './activity'
import type { ActivityFilter } from './activity-filter'
import { readStatement } from './queries'
import { exchange, pullFaucet } from './service'

async function everything(db: Database, username: string, filter: ActivityFilter = {}): Promise<Movement[]> {
  const all: Movement[] = []
  for await (const slice of allActivity(db, username, filter)) all.push(...slice)
  return all
}

describeOnBothEngines('The activity of a user', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: string
  let payee: string

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(
      db(),
      { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1', RATE_LIMITS: 'off' },
      undefined,
      node,
    )
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.feeMsats = 3_000n
    payer = await newUser(vasp, { SAT: 100_000_000n, USD: 50_000n, EUR: 10_000n })
    payee = await newUser(vasp, { USD: 1_000n })
  })

  const convert = (from: CurrencyCode, to: CurrencyCode, amount: bigint): Promise<bigint> =>
    exchange(vasp.app, { username: payer, from, to, amount, requestId: randomUUID() })

  /** A bit of everything, some of it at the same time. Returns the token of the payer's connection. */
  async function live(): Promise<string> {
    const token = await vasp.connectionToken(payer, ['pay_invoice'])
    const payInside = async (): Promise<void> => {
      const { invoice } = await invoiceOf(vasp, payee, 'USD', 2_000_000n)
      expect((await vasp.post('/payments/bolt11', token, { invoice })).status).toBe(200)
    }
    await payInside()
    await Promise.all([
      convert('USD', 'SAT', 500n),
      convert('SAT', 'EUR', 5_000_000n),
      pullFaucet(vasp.app, payer, 'EUR', randomUUID()),
      vasp.post('/payments/bolt11', token, { invoice: node.invoice(1_000_000n).invoice }),
      payInside(),
    ])
    node.script = 'fails'
    await vasp.post('/payments/bolt11', token, { invoice: node.invoice(700_000n).invoice })
    const { invoice } = await invoiceOf(vasp, payer, 'EUR', 3_000_000n)
    await vasp.post('/payments/bolt11', await vasp.connectionToken(payee, ['pay_invoice']), { invoice })
    return token
  }

  it('has exactly the lines of the statements of all wallets', async () => {
    await live()
    for (const user of [payer, payee]) {
      const lines = (
        await Promise.all(
          (['SAT', 'USD', 'EUR'] as const).map(async (code) =>
            ((await readStatement(db(), user, code))?.lines ?? []).map((line) => ({ ...line, code })),
          ),
        )
      ).flat()
      const facts = (all: readonly Pick<Movement, 'id' | 'at' | 'kind' | 'code' | 'amount' | 'text' | 'memo'>[]) =>
        all
          .map(({ id, at, kind, code, amount, text, memo }) => ({
            id,
            at: at.toISOString(),
            kind,
            code,
            amount,
            text,
            memo,
          }))
          .toSorted((a, b) => Number(b.id - a.id))
      const movements = await everything(db(), user)
      expect(movements.length).toBeGreaterThan(2)
      expect(facts(movements)).toEqual(facts(lines))
      expect(movements.map(({ id }) => id)).toEqual(facts(movements).map(({ id }) => id))
    }
  })

  it('adds up in every period: opening balance, lines and closing balance of each wallet', async () => {
    await live()
    const movements = await everything(db(), payer)
    const times = [...new Set(movements.map(({ at }) => at.getTime()))].toSorted((a, b) => a - b)
    const moments = [new Date(0), ...times.map((time) => new Date(time + 1)), new Date('2100-01-01')]
    for (const [index, from] of moments.entries()) {
      for (const until of moments.slice(index + 1)) {
        const { wallets, isCut } = await readPeriod(db(), payer, { from, until })
        expect(isCut).toBe(false)
        expect(wallets.map(({ code }) => code)).toEqual(['SAT', 'USD', 'EUR'])
        for (const { opening, closing, lines } of wallets) {
          expect(lines.reduce((sum, { amount }) => sum + amount, opening)).toBe(closing)
          expect(lines.at(-1)?.balance ?? opening).toBe(closing)
        }
      }
    }
    const whole = await readPeriod(db(), payer, { from: new Date(0), until: new Date('2100-01-01') })
    for (const { code, opening, closing, lines } of whole.wallets) {
      const wallet = await walletOf(db(), payer, code)
      expect([opening, closing]).toEqual([0n, wallet.available + wallet.held])
      expect(lines).toHaveLength(movements.filter((movement) => movement.code === code).length)
    }
  })

  it('is filtered by every field', async () => {
    await live()
    const all = await everything(db(), payer)
    const [paid] = all.filter(({ connectionId }) => connectionId !== null)
    const connectionId = paid?.connectionId ?? ''
    const expected: [ActivityFilter, (movement: Movement) => boolean][] = [
      [{ direction: 'sent' }, ({ amount }) => amount < 0n],
      [{ direction: 'received', code: 'EUR' }, ({ amount, code }) => amount > 0n && code === 'EUR'],
      [{ code: 'SAT' }, ({ code }) => code === 'SAT'],
      [{ connectionId }, (movement) => movement.connectionId === connectionId],
      [{ connectionId, code: 'USD' }, (movement) => movement.connectionId === connectionId && movement.code === 'USD'],
      [{ connectionId, direction: 'received' }, () => false],
      [
        { least: 100_000n, code: 'USD' },
        ({ amount, code }) => code === 'USD' && (amount < 0n ? -amount : amount) >= 10_000n,
      ],
      [{ most: 5_000n, code: 'USD' }, ({ amount, code }) => code === 'USD' && (amount < 0n ? -amount : amount) <= 500n],
      [{ text: 'CONVERTED' }, ({ kind }) => kind === 'exchange'],
      [{ state: 'settled' }, () => true],
    ]
    for (const [filter, fits] of expected)
      expect((await everything(db(), payer, filter)).map(({ id }) => id)).toEqual(all.filter(fits).map(({ id }) => id))
    expect(await everything(db(), payer, { state: 'failed' })).toMatchObject([
      { state: 'failed', paymentHash: expect.any(String) },
    ])
    expect(await everything(db(), payer, { state: 'failed', direction: 'received' })).toEqual([])
    expect(await everything(db(), payer, { state: 'pending' })).toEqual([])
    // Another user's connection.
    expect(await everything(db(), payee, { connectionId })).toEqual([])
  })
})

const MANY = 100_000
/** One movement in this many has the sought text. */
const EACH_SOUGHT = 900

/** Books balanced test money without triggers, as a restored dump does. Every second movement is sent, in USD every fourth. */
const FILL = `do $$
declare
  opened ledger_accounts%rowtype;
  first_entry bigint;
begin
  perform set_config('session_replication_role', 'replica', true);
  select coalesce(max(id), 0) + 1 into first_entry from journal_entries;
  insert into journal_entries (id, kind, idempotency_key, content_hash, created_at) overriding system value
    select first_entry + i, 'faucet', 'many:USER:' || i, 'x', now() - (${MANY} - i) * interval '1 minute' from generate_series(1, ${MANY}) i;
  insert into postings (entry_id, account_id, currency_code, amount, balance_after)
    select first_entry + i, a.id, a.currency_code, case when i % 2 = 0 then -1 else 1 end, a.balance
    from generate_series(1, ${MANY}) i join wallets w on w.user_id = 'USER' and w.currency_code = case when i % 4 < 2 then 'USD' else 'SAT' end
    join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available' order by i;
  insert into movements (entry_id, wallet_id, id, user_id, currency_code, kind, amount, sent, connection_id, memo, created_at)
    select e.id, a.wallet_id, p.id, 'USER', p.currency_code, 'payment', p.amount, p.amount < 0,
           case when p.amount < 0 then 'CONNECTION' end, case when p.id % ${EACH_SOUGHT} = 0 then 'sought' end, e.created_at
    from journal_entries e join postings p on p.entry_id = e.id join ledger_accounts a on a.id = p.account_id
    where e.idempotency_key like 'many:USER:%';
end $$`

describeOnBothEngines('The activity of a user with 100,000 movements', (db) => {
  let username: string
  let connectionId: string

  beforeAll(async () => {
    const vasp = await makeTestVasp(db())
    username = await newUser(vasp, { SAT: 1_000n, USD: 1_000n })
    await vasp.connectionToken(username, ['pay_invoice'])
    const [connection] = await db().query<{ id: string }>(
      { name: 'test_connection', text: 'select id from connections where user_id = $1' },
      [username],
    )
    connectionId = connection?.id ?? ''
    await db().query({
      name: 'test_many',
      text: FILL.replaceAll('USER', username).replaceAll('CONNECTION', connectionId),
    })
  }, 120_000)
  afterEach(() => vi.restoreAllMocks())

  const TABLES = ['movements', 'wallets', 'connections', 'postings', 'journal_entries', 'payments']
  const days = (count: number): Date => new Date(Date.now() - count * 86_400_000)

  describe.each([['before'], ['after']])('%s the tables are analyzed', (when) => {
    beforeAll(async () => {
      if (when === 'after') await db().query({ name: 'test_analyze', text: 'analyze' })
    })

    const scopes: ActivityFilter[] = [{}, { direction: 'sent' }, { direction: 'received' }].flatMap((direction) =>
      [{}, { code: 'USD' as const }].flatMap((code) =>
        [{}, { from: days(30), until: days(20) }].map(
          (dates) => ({ ...direction, ...code, ...dates }) as ActivityFilter,
        ),
      ),
    )
    it('reads at most 200 rows for a page of 50, whatever direction, currency, connection and dates are chosen', async () => {
      const filters = scopes.flatMap((scope) =>
        scope.direction === 'received' ? [scope] : [scope, { ...scope, connectionId }],
      )
      expect(filters.length).toBe(20)
      for (const filter of filters) {
        const { found, read } = await rowsRead(
          db(),
          TABLES,
          async () => (await readActivity(db(), username, filter)).movements,
        )
        expect(found, JSON.stringify(filter)).toBe(50)
        expect(read, JSON.stringify(filter)).toBeLessThanOrEqual(200)
      }
    })
  })

  it('neither loses nor repeats a movement between pages', async () => {
    const filter = { code: 'USD', from: days(1), until: days(0) } as const
    const seen: bigint[] = []
    let cursor: Awaited<ReturnType<typeof readActivity>>['older'] = null
    do {
      const page = await readActivity(db(), username, filter, cursor ?? undefined)
      seen.push(...page.movements.map(({ id }) => id))
      cursor = page.older
    } while (cursor !== null)
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual((await everything(db(), username, filter)).map(({ id }) => id))
  })

  it('searches the newest 10,000 for a text, says so, and pages through what it finds', async () => {
    const asked = vi.spyOn(db(), 'query')
    const page = await readActivity(db(), username, { text: 'sought' })
    expect(page).toMatchObject({ older: null, isCut: true })
    expect([11, 12]).toContain(page.movements.length)
    expect(asked).toHaveBeenCalledTimes(SEARCHED / SLICE)
    const first = await readActivity(db(), username, { state: 'settled' })
    expect(first).toMatchObject({ isCut: false, older: { searched: 50 } })
    const cursor = { before: first.older?.before ?? 0n, searched: SEARCHED - 20 }
    const last = await readActivity(db(), username, { state: 'settled' }, cursor)
    expect(last).toMatchObject({ isCut: true, older: null, movements: { length: 20 } })
  })

  it('exports everything in slices of 1,000, and lets other work run between them', async () => {
    const asked = vi.spyOn(db(), 'query')
    let turns = 0
    const other = setInterval(() => (turns += 1), 1)
    let count = 0
    for await (const slice of allActivity(db(), username, {})) {
      expect(slice.length).toBeLessThanOrEqual(SLICE)
      count += slice.length
    }
    clearInterval(other)
    expect(count).toBe(MANY + 2)
    expect(asked).toHaveBeenCalledTimes(Math.ceil((MANY + 2) / SLICE))
    expect(turns).toBeGreaterThan(MANY / SLICE / 2)
  })

  it('lists no lines in a printed statement of more than 2,000', async () => {
    const { wallets, isCut } = await readPeriod(db(), username, { from: days(3), until: days(0) })
    expect(isCut).toBe(true)
    expect(wallets.map(({ lines }) => lines)).toEqual([[], []])
  })
})
