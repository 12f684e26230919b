import { beforeEach, expect, test } from 'vitest'
import { sqlState } from '@/lib/platform/db/sql-state'
import { describeOnBothEngines, describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps } from '@/test/uma/two-vasps'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { forgetInvoices } from './old-invoices'

const NO_CANCEL = { cancelInvoice: undefined }
const SNAPSHOT = '(select id from rate_snapshots limit 1)'

describeOnBothEngines('Old invoices', (db) => {
  let vasp: TestVasp
  let user: string
  let walletId: bigint
  beforeEach(async () => {
    vasp = await makeTestVasp(db())
    user = await newUser(vasp, { SAT: 1_000n })
    walletId = (await walletOf(db(), user, 'SAT')).walletId
  })

  const run = (text: string, params: readonly unknown[] = []): Promise<Record<string, unknown>[]> =>
    db().query({ name: '', text }, params)
  const forget = async (node: Parameters<typeof forgetInvoices>[0]['node'] = NO_CANCEL): Promise<number> =>
    (await forgetInvoices({ db: db(), node })).gone
  const make = (memo: string, ended: string, { count = 1, fixed = 'null, null' } = {}): Promise<unknown> =>
    run(
      `insert into invoices (payment_hash, preimage, invoice, user_id, wallet_id, amount_msats, description, expires_at, fixed_credit, rate_snapshot_id)
       select encode(sha256(secret), 'hex'), encode(secret, 'hex'), 'ln', $2, $3, 1000, $1, now() - $4::interval, ${fixed}
       from generate_series(1, $5::int) n, lateral (select sha256((n || $1 || $2)::bytea) as secret) s`,
      [memo, user, walletId, ended, count],
    )
  const fromInvoice = (memo: string, text: string): Promise<unknown> =>
    run(`${text} from invoices where description = $1 and user_id = $2`, [memo, user])
  const request = async (memo: string, ended: string, umaInvoice = 'null'): Promise<void> => {
    await make(memo, ended, { fixed: `1000, ${SNAPSHOT}` })
    await fromInvoice(
      memo,
      `insert into uma_pay_requests (invoice_id, protocol, uma_invoice_id) select id, 'uma-1', ${umaInvoice}::bigint`,
    )
  }
  const kept = async (): Promise<unknown[]> =>
    (await run('select description from invoices where user_id = $1 order by id', [user])).map(
      ({ description }) => description,
    )

  async function fillWithAll(): Promise<void> {
    await make('unpaid', '31 days')
    await request('requested and unpaid', '32 days')
    await make('younger', '29 days')
    await request('requested and younger', '29 days')
    await make('of a payment', '31 days')
    await fromInvoice(
      'of a payment',
      `insert into payments (payment_hash, invoice, user_id, wallet_id, amount_msats, debit, rate_snapshot_id, state)
       select payment_hash, invoice, user_id, wallet_id, 1000, 1000, ${SNAPSHOT}, 'failed'`,
    )
    await make('of a quote', '31 days')
    await fromInvoice(
      'of a quote',
      `insert into quotes (payment_hash, invoice, user_id, wallet_id, receiver_address, protocol, locked_side, total_sending_amount,
                           debit, fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier, amount_msats,
                           fee_limit_msats, rate_snapshot_id, expires_at)
       select payment_hash, invoice, user_id, wallet_id, '$bob@here.example', 'own', 'sending', 1, 1000, 0, 0, '{}', 1, 1, 1000, 0,
              ${SNAPSHOT}, now()`,
    )
    await make('of a receipt', '31 days')
    const { house } = vasp.app
    await fromInvoice(
      'of a receipt',
      `select suspend_incoming_payment(payment_hash, null, 1000, array[${house('lightning', 'SAT')}, ${house('suspense', 'SAT')}], array[-1000, 1000])`,
    )
    const [umaInvoice] = await run(
      `insert into uma_invoices (uuid, user_id, wallet_id, amount, encoded, expires_at)
       values (gen_random_uuid(), $1, $2, 1, 'uma', now()) returning id`,
      [user, walletId],
    )
    await request('of a UMA invoice', '32 days', String(umaInvoice?.id))
  }
  const STAYING = ['younger', 'requested and younger', 'of a payment', 'of a quote', 'of a receipt', 'of a UMA invoice']

  test('are deleted thirty days after they expired unpaid, and those that something names stay', async () => {
    await fillWithAll()
    const { gone, until } = await forgetInvoices({ db: db(), node: NO_CANCEL })
    expect(gone).toBe(2)
    expect(await kept()).toEqual(STAYING)
    expect(
      await run(`select from uma_pay_requests r where not exists (select from invoices i where i.id = r.invoice_id)`),
    ).toEqual([])
    await make('ended since', '30 days 1 minute')
    expect(await forgetInvoices({ db: db(), node: NO_CANCEL }, until)).toMatchObject({ gone: 1 })
    expect(await vasp.app.audit.run('everything')).toMatchObject({ breaches: [] })
  })

  test('are deleted once, however many there are, by two instances at the same time', async () => {
    await make('many', '31 days', { count: 1_203 })
    const [one, other] = await Promise.all([forget(), forget()])
    expect(one + other).toBe(1_203)
    expect(await kept()).toEqual([])
  })

  test('are unknown to the API afterwards', async () => {
    const token = await vasp.connectionToken(user, ['make_invoice', 'lookup_invoice', 'pay_invoice'])
    const { body } = await vasp.post('/invoice', token, { amount: 1 })
    const path = `/invoices/${String(body.payment_hash)}`
    await run(`update invoices set expires_at = now() - interval '31 days' where payment_hash = $1`, [
      body.payment_hash,
    ])
    expect((await vasp.get(path, token)).status).toBe(200)
    expect(await forget()).toBe(1)
    expect(await vasp.get(path, token)).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } })
    const { invoice } = body
    expect((await vasp.post('/payments/bolt11', token, { invoice })).status).toBeGreaterThanOrEqual(400)
  })

  test('are cancelled at the node first, and stay when another node paid or the node is away', async () => {
    await make('cancelled', '32 days')
    await make('paid elsewhere', '31 days')
    const [paid] = await run(
      `select payment_hash from invoices where description = 'paid elsewhere' and user_id = $1`,
      [user],
    )
    await expect(forget({ cancelInvoice: () => Promise.reject(new Error('away')) })).rejects.toThrow('away')
    expect(await kept()).toEqual(['cancelled', 'paid elsewhere'])
    const asked: string[] = []
    const cancelInvoice = async (hash: string): Promise<'settled' | 'cancelled'> => {
      asked.push(hash)
      return hash === paid?.payment_hash ? 'settled' : 'cancelled'
    }
    expect(await forget({ cancelInvoice })).toBe(1)
    expect(asked).toHaveLength(2)
    expect(await kept()).toEqual(['paid elsewhere'])
  })

  test.each(STAYING)('cannot be deleted: %s', async (memo) => {
    await fillWithAll()
    const refused = await run('delete from invoices where description = $1 and user_id = $2', [memo, user]).catch(
      (error: unknown) => error,
    )
    expect(sqlState(refused)).toBe('LG005')
    expect(String(refused)).toContain('only an unpaid invoice that expired 30 days ago')
    expect(await kept()).toContain(memo)
  })

  test('cannot be deleted: a settled invoice', async () => {
    const payer = await newUser(vasp, { SAT: 10_000_000n })
    const token = await vasp.connectionToken(user, ['make_invoice'])
    const { body } = await vasp.post('/invoice', token, { amount: 1 })
    await run(`update invoices set expires_at = now() + interval '1 second' where payment_hash = $1`, [
      body.payment_hash,
    ])
    const paying = await vasp.connectionToken(payer, ['pay_invoice'])
    expect(await vasp.post('/payments/bolt11', paying, { invoice: body.invoice })).toMatchObject({ status: 200 })
    const refused = await run('delete from invoices where payment_hash = $1', [body.payment_hash]).catch(
      (error: unknown) => error,
    )
    expect(sqlState(refused)).toBe('LG005')
  })
})

describeOnTwoDatabases('A late payment of a deleted invoice', (northDb, southDb) => {
  test('is refused, and its payer gets the money back', async () => {
    const both = await startTwoVasps(northDb(), southDb())
    const { north, south } = both
    try {
      const payer = await newUser(north, { SAT: 10_000_000n })
      const payee = await newUser(south, { SAT: 0n })
      const [paying, asking] = [
        await north.connectionToken(payer, ['pay_invoice', 'get_balance']),
        await south.connectionToken(payee, ['make_invoice']),
      ]
      const expire = async (): Promise<unknown> => {
        const { body } = await south.post('/invoice', asking, { amount: 100 })
        const text = `update invoices set expires_at = now() - interval '31 days' where payment_hash = $1`
        await southDb().query({ name: 'test_expire', text }, [body.payment_hash])
        return body.invoice
      }
      const ports = { db: southDb(), node: NO_CANCEL }
      const pay = (invoice: unknown) => north.post('/payments/bolt11', paying, { invoice })
      const before = await expire()
      expect((await forgetInvoices(ports)).gone).toBe(1)
      expect(await pay(before)).toMatchObject({ status: 400 })
      const during = await expire()
      expect(await Promise.all([pay(during), forgetInvoices(ports)])).toMatchObject([{ status: 400 }, {}])
      const text = 'select state, failure from payments order by id'
      const [unknown, either] = await northDb().query({ name: 'test_failures', text })
      expect(unknown).toEqual({ state: 'failed', failure: 'unknown' })
      expect(either).toMatchObject({ state: 'failed', failure: expect.stringMatching(/^(unknown|expired)$/) as string })
      expect((await north.get('/balance', paying)).body).toMatchObject({ balance: 10_000 })
      for (const { app } of [north, south])
        expect(await app.audit.run('everything')).toMatchObject({ breaches: [], review: [] })
    } finally {
      await both.stop()
    }
  })
})
