import { randomUUID } from 'node:crypto'
import { beforeEach, expect, test } from 'vitest'
import { forgetOldLogins } from '@/lib/accounts/sessions/old-logins'
import { sqlState } from '@/lib/platform/db/sql-state'
import { describeOnBothEngines } from '@/test/databases/databases'
import { newUser, walletOf } from '@/test/vasp/money'
import { idOf, makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { forgetConnections } from './old-connections'

describeOnBothEngines('Old connections', (db) => {
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
  interface End {
    /** Days ago. */
    readonly revoked?: number
    readonly expired?: number
  }
  const connect = async (name: string, { revoked, expired }: End, login: string = randomUUID()): Promise<void> => {
    await run(
      `insert into login_grants (id, user_id, created_at, expires_at, exchanges)
       values ($1, $2, now() - interval '1 year', now() - interval '1 year', 1) on conflict do nothing`,
      [login, user],
    )
    await run(
      `insert into connections (id, user_id, login_grant_id, name, permissions, created_at, revoked_at, expires_at)
       values (gen_random_uuid(), $1, $2, $3, '{get_info}', now() - interval '1 year',
               now() - interval '1 day' * $4::float, now() - interval '1 day' * $5::float)`,
      [user, login, name, revoked ?? null, expired ?? null],
    )
  }
  const of = (name: string, text: string): Promise<unknown> =>
    run(`${text} from connections c where c.name = $1 and c.user_id = $2`, [name, user])
  const SNAPSHOT = '(select id from rate_snapshots limit 1)'
  const quote = (name: string, ended: string, uuid = 'null'): Promise<unknown> =>
    run(
      `insert into quotes (payment_hash, invoice, user_id, connection_id, wallet_id, receiver_address, protocol, locked_side,
                           total_sending_amount, debit, fees, vasp_fee, receiving_currency, total_receiving_amount, multiplier,
                           amount_msats, fee_limit_msats, rate_snapshot_id, uma_invoice, uma_invoice_uuid, expires_at)
       select encode(sha256(c.id::bytea), 'hex'), 'ln', c.user_id, c.id, $3, '$bob@peer.example', 'lnurl', 'sending', 1, 1000, 0, 0, '{}',
              1, 1, 1000, 0, ${SNAPSHOT}, case when ${uuid}::uuid is not null then 'uma' end, ${uuid}::uuid, now() - $4::interval
       from connections c where c.name = $1 and c.user_id = $2`,
      [name, user, walletId, ended],
    )
  const key = (name: string): Promise<unknown> =>
    of(
      name,
      `insert into address_payment_keys (connection_id, idempotency_key, request_fingerprint, payment_hash)
       select c.id, 'key', 'fingerprint', (select payment_hash from quotes where connection_id = c.id)`,
    )
  const kept = async (): Promise<unknown[]> =>
    (await run('select name from connections where user_id = $1 order by name', [user])).map(({ name }) => name)
  const logins = async (): Promise<number> =>
    (await run('select id from login_grants where user_id = $1', [user])).length

  async function fillWithAll(): Promise<void> {
    await connect('expired', { expired: 91 })
    await connect('revoked', { revoked: 91 })
    await connect('with a key that no one can repeat', { revoked: 91 })
    await quote('with a key that no one can repeat', '91 days')
    await key('with a key that no one can repeat')
    await connect('active', {})
    await quote('active', '91 days')
    await key('active')
    await connect('of a payment', { revoked: 91 })
    await of(
      'of a payment',
      `insert into payments (payment_hash, invoice, user_id, connection_id, wallet_id, amount_msats, debit, rate_snapshot_id, state)
       select encode(sha256(c.id::bytea), 'hex'), 'ln', c.user_id, c.id, ${walletId}, 1000, 1000, ${SNAPSHOT}, 'failed'`,
    )
    await connect('of a quote of a UMA invoice', { revoked: 91 })
    await quote('of a quote of a UMA invoice', '91 days', `'00000000-0000-4000-8000-000000000001'`)
    await connect('of an event', { revoked: 91 })
    await of(
      'of an event',
      `insert into events (kind, name, user_id, connection_id) select 'connection', 'connection revoked', c.user_id, c.id`,
    )
    await connect('younger', { revoked: 89 })
    await quote('younger', '89 days')
    await key('younger')
  }
  const STAYING = ['active', 'of a payment', 'of a quote of a UMA invoice', 'of an event', 'younger']

  test('are deleted ninety days after they ended, with what only they need, and those that something names stay', async () => {
    await fillWithAll()
    const { gone, until } = await forgetConnections(db())
    expect(gone).toBe(3)
    expect(await kept()).toEqual(STAYING)
    expect(await logins()).toBe(STAYING.length)
    expect(
      await run(
        'select c.name from quotes q join connections c on c.id = q.connection_id where q.user_id = $1 order by c.name',
        [user],
      ),
    ).toEqual([{ name: 'active' }, { name: 'of a quote of a UMA invoice' }, { name: 'younger' }])
    await connect('ended since', { revoked: 90.001 })
    expect(await forgetConnections(db(), until)).toMatchObject({ gone: 1 })
    expect(await vasp.app.audit.run('everything')).toMatchObject({ breaches: [] })
  })

  test('are deleted once, however many there are, by two instances, and their login with the last of them', async () => {
    const [shared, stays] = [randomUUID(), randomUUID()]
    for (let each = 0; each < 3; each++) await connect('many', { revoked: 92 }, shared)
    await connect('many', { revoked: 92 }, stays)
    await connect('younger', { revoked: 89 }, stays)
    await run(
      `insert into login_grants (id, user_id, expires_at, exchanges)
       select 'many-' || n || $1::text, $1, now() - interval '1 year', 1 from generate_series(1, 1200) n`,
      [user],
    )
    await run(
      `insert into connections (id, user_id, login_grant_id, name, permissions, created_at, revoked_at)
       select gen_random_uuid(), user_id, id, 'many', '{get_info}', now() - interval '1 year', now() - interval '91 days'
       from login_grants where user_id = $1 and id like 'many-%'`,
      [user],
    )
    const [one, other] = await Promise.all([forgetConnections(db()), forgetConnections(db())])
    expect(one.gone + other.gone).toBe(1_204)
    expect(await kept()).toEqual(['younger'])
    expect(await run('select id from login_grants where user_id = $1', [user])).toEqual([{ id: stays }])
  })

  test('have tokens that stay refused', async () => {
    const token = await vasp.connectionToken(user)
    await run(`update connections set revoked_at = now() - interval '91 days' where id = $1`, [idOf(token)])
    expect((await vasp.get('/balance', token)).status).toBe(401)
    await run(`update login_grants set expires_at = now() - interval '91 days' where user_id = $1`, [user])
    expect(await forgetConnections(db())).toMatchObject({ gone: 1 })
    expect((await vasp.get('/balance', token)).status).toBe(401)
  })

  const refusalOf = (text: string, params: readonly unknown[] = [user]): Promise<string> =>
    run(text, params).then(
      () => 'done',
      (error: unknown) => `${sqlState(error)} ${String(error)}`,
    )

  test.each(STAYING)('cannot be deleted: %s', async (name) => {
    await fillWithAll()
    expect(await refusalOf('delete from connections where user_id = $1 and name = $2', [user, name])).toMatch(
      /^CN003 .*only a connection that ended 90 days ago and that no payment, quote, idempotency key or event names/,
    )
    expect(await kept()).toContain(name)
  })

  test('an idempotency key cannot be deleted while it may be repeated, nor its quote', async () => {
    await fillWithAll()
    const keys = `select c.name from address_payment_keys k join connections c on c.id = k.connection_id where c.user_id = $1 order by 1`
    await forgetConnections(db())
    for (const name of ['active', 'younger']) {
      const which = `(select id from connections where user_id = $1 and name = '${name}')`
      expect(await refusalOf(`delete from address_payment_keys where connection_id = ${which}`)).toMatch(
        /^LG005 .*only an idempotency key whose connection ended 90 days ago/,
      )
      expect(await refusalOf(`delete from quotes where connection_id = ${which}`)).toMatch(
        /^LG005 .*only a quote that expired 30 days ago and that no payment, idempotency key or UMA invoice names/,
      )
    }
    expect(await run(keys, [user])).toEqual([{ name: 'active' }, { name: 'younger' }])
  })

  test('a login or a session cannot be deleted before a day after its end, nor a login with a connection', async () => {
    await fillWithAll()
    await forgetConnections(db())
    await vasp.loginToken(user)
    await forgetOldLogins(db())
    expect(await refusalOf('delete from login_grants where user_id = $1 and expires_at > now()')).toMatch(
      /^LG005 .*only a login that ended a day ago and that no connection names/,
    )
    expect(await refusalOf('delete from login_grants where user_id = $1 and expires_at < now()')).toMatch(
      /^LG005 .*login/,
    )
    expect(await refusalOf('delete from sessions where user_id = $1')).toMatch(
      /^LG005 .*only a session that ended a day ago/,
    )
    expect(await logins()).toBe(STAYING.length + 1)
  })

  test.each(['connections', 'login_grants', 'sessions', 'address_payment_keys'])(
    '%s cannot be truncated',
    async (table) => {
      expect(await refusalOf(`truncate ${table} cascade`, [])).toMatch(/^LG005 .*is append-only/)
    },
  )
})
