import { beforeAll, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { sqlState } from './sql-state'

describeOnBothEngines('The tables', (db) => {
  /** Runs one statement and returns the SQLSTATE and message of its refusal, or `done`. */
  async function run(text: string): Promise<string> {
    return db()
      .query({ name: '', text })
      .then(
        () => 'done',
        (error: unknown) => `${sqlState(error)} ${error instanceof Error ? error.message : ''}`,
      )
  }

  beforeAll(async () => {
    for (const statement of [
      `insert into users (id, display_name, password_hash) values ('alice', 'Alice', 'none'), ('bob', 'Bob', 'none')`,
      `insert into sessions (id, user_id, expires_at) values ('session', 'alice', now() + interval '1 day')`,
      `insert into login_grants (id, user_id, session_id, expires_at) values ('login', 'alice', 'session', now() + interval '10 minutes')`,
      `insert into connections (id, user_id, login_grant_id, name, permissions)
         values ('kept', 'alice', 'login', 'App', '{get_info}'), ('revoked', 'alice', 'login', 'App', '{get_info}')`,
      `update connections set revoked_at = now() where id = 'revoked'`,
      `insert into wallets (user_id, currency_code, position) values ('alice', 'SAT', 0)`,
    ])
      expect(await run(statement)).toBe('done')
  })

  test.each([
    [`revoked_at = null where id = 'revoked'`],
    [`revoked_at = now() + interval '1 day' where id = 'revoked'`],
  ])('a revoked connection stays revoked: %s', async (change) => {
    expect(await run(`update connections set ${change}`)).toBe('CN002 a revoked connection stays revoked')
  })

  test.each([
    [`user_id = 'bob'`],
    [`permissions = '{get_info,pay_invoice}'`],
    [`permissions = null`],
    [`id = 'other'`],
    [`expires_at = now() + interval '9 years'`],
    [`created_at = now() - interval '1 day'`],
  ])('the terms of a connection never change: %s', async (change) => {
    expect(await run(`update connections set ${change} where id = 'kept'`)).toBe(
      'CN001 the terms of a connection never change',
    )
  })

  test('a connection may be renamed, used and revoked', async () => {
    await run(
      `insert into connections (id, user_id, login_grant_id, name, permissions) values ('usual', 'alice', 'login', 'App', '{get_info}')`,
    )
    for (const change of [`name = 'My app'`, 'last_used_at = now()', 'revoked_at = now()', `name = 'Gone'`]) {
      expect(await run(`update connections set ${change} where id = 'usual'`)).toBe('done')
    }
  })

  test.each([
    [`delete from connections`],
    [`delete from connections where id = 'kept'`],
    [`delete from connections where id = 'revoked'`],
  ])('a connection is not deleted before ninety days after its end: %s', async (statement) => {
    expect(await run(statement)).toBe(
      'CN003 only a connection that ended 90 days ago and that no payment, quote, idempotency key or event names may be deleted',
    )
  })

  test.each([[`truncate connections cascade`], [`truncate users cascade`]])(
    'no table is emptied: %s',
    async (statement) => {
      expect(await run(statement)).toMatch(/^LG005 \w+ is append-only$/)
    },
  )

  test.each([
    ['users_id_form', `insert into users values ('Alice', 'Alice', 'none')`],
    ['users_id_form', `insert into users values ('', 'Nobody', 'none')`],
    ['users_id_form', `insert into users values (E'al\\nice', 'Alice', 'none')`],
    ['users_id_form', `insert into users values (repeat('a', 64), 'Long', 'none')`],
    ['users_display_name_length', `insert into users values ('carol', '', 'none')`],
    ['users_status_known', `update users set status = 'gone'`],
    ['wallets_currency_code_form', `insert into wallets (user_id, currency_code, position) values ('alice', 'usd', 1)`],
    [
      'wallets_position_from_zero',
      `insert into wallets (user_id, currency_code, position) values ('alice', 'USD', -1)`,
    ],
    [
      'wallets_user_id_currency_code_key',
      `insert into wallets (user_id, currency_code, position) values ('alice', 'SAT', 1)`,
    ],
    [
      'wallets_user_id_position_key',
      `insert into wallets (user_id, currency_code, position) values ('alice', 'USD', 0)`,
    ],
    ['wallets_user_id_fkey', `insert into wallets (user_id, currency_code, position) values ('nobody', 'USD', 0)`],
    ['login_grants_exchanges_limited', `update login_grants set exchanges = 21`],
    ['login_grants_exchanges_limited', `update login_grants set exchanges = -1`],
    ['connections_name_length', `update connections set name = '' where id = 'kept'`],
    ['connections_name_length', `update connections set name = repeat('x', 81) where id = 'kept'`],
    [
      'connections_permissions_given',
      `insert into connections (id, user_id, login_grant_id, name, permissions) values ('x', 'alice', 'login', 'App', '{}')`,
    ],
    [
      'connections_permissions_given',
      `insert into connections (id, user_id, login_grant_id, name) values ('x', 'alice', 'login', 'App')`,
    ],
    [
      'connections_pkey',
      `insert into connections (id, user_id, login_grant_id, name, permissions) values ('kept', 'alice', 'login', 'App', '{get_info}')`,
    ],
    ['sessions_user_id_fkey', `delete from users where id = 'alice'`],
  ])('%s refuses: %s', async (constraint, statement) => {
    const refused = await run(statement)
    expect(refused).toMatch(/^23(001|503|505|514) /)
    // The server chooses which reference to a user refuses the deletion first.
    expect(refused).toMatch(constraint === 'sessions_user_id_fkey' ? /_user_id_fkey/ : constraint)
  })
})
