import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { closeUser } from '@/lib/accounts/users'
import { readWallets } from '@/lib/ledger/accounts'
import { walletForKeysend } from '@/lib/payments/receive'
import { findPayableUser } from '@/lib/uma/find-payable-user'
import { describeOnBothEngines } from '@/test/databases/databases'
import { expectSound } from '@/test/vasp/leaving'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { openSession, userOfSession } from '../../accounts/sessions/session-store'
import { signIn } from '../../accounts/sign-in/sign-in'
import { makeRateLimiter } from '../../platform/rate-limiter'
import { sandboxCaller } from './sandbox-caller'
import {
  consumeUserCreation,
  createSandboxUser,
  removeUnusedUsers,
  resetUser,
  setRandomPassword,
  type SandboxUser,
} from './sandbox-users'
import { readSignInCode, takeSignInCode } from './sign-in-code'

describeOnBothEngines('Temporary users', (db) => {
  const create = async (vasp: TestVasp): Promise<SandboxUser> => {
    const user = await createSandboxUser(vasp.app)
    if (user === 'full') throw new Error('the sandbox is full')
    return user
  }
  const callerOf = (vasp: TestVasp, token: string): Promise<string | undefined> =>
    sandboxCaller(vasp.app, { headers: new Headers({ 'X-Manage-Token': token }) })
  const run = (text: string, params: readonly unknown[]): Promise<unknown[]> =>
    db().query({ name: `test_${randomUUID()}`, text }, params)
  const age = (username: string, hours: number): Promise<unknown[]> =>
    run(
      `update users set last_used_at = last_used_at - make_interval(hours => $2),
                        expires_at = expires_at - make_interval(hours => $2) where id = $1`,
      [username, hours],
    )
  const balancesOf = async (username: string): Promise<bigint[]> =>
    (await readWallets(db(), username)).map(({ available }) => available)

  it('have test money, and secrets that are stored as hashes only', async () => {
    const vasp = await makeTestVasp(db())
    const user = await create(vasp)
    expect(user.username).toMatch(/^[a-z]+-[a-z]+(-\d+)?$/)
    const wallets = await readWallets(db(), user.username)
    expect(wallets.map(({ code }) => code)).toEqual(['USD', 'EUR', 'SAT'])
    expect(wallets.every(({ available, held }) => available > 0n && held === 0n)).toBe(true)
    expect((await signIn(vasp.app, user.username, user.password)).kind).toBe('signed-in')
    expect(await callerOf(vasp, user.manageToken)).toBe(user.username)
    expect(await callerOf(vasp, `${user.manageToken}x`)).toBeUndefined()
    const [row] = await run('select row_to_json(u)::text as text from users u where id = $1', [user.username])
    for (const secret of [user.password, user.manageToken, user.signInCode])
      expect(JSON.stringify(row)).not.toContain(secret)
    for (const secret of [user.password, user.manageToken, user.signInCode])
      expect(vasp.logged.join('\n')).not.toContain(secret)
    await expectSound(db())
  })

  it('are created up to the limit and never beyond it, even at the same instant', async () => {
    const living = await run(`select id from users where made_on_demand and status <> 'closed'`, [])
    const vasp = await makeTestVasp(db(), { SANDBOX_USERS_MAX: String(living.length + 3) })
    const created = await Promise.all(Array.from({ length: 8 }, () => createSandboxUser(vasp.app)))
    const users = created.filter((user): user is SandboxUser => user !== 'full')
    expect(users).toHaveLength(3)
    await closeUser(vasp.app, users[0]?.username ?? '')
    expect(await createSandboxUser(vasp.app)).not.toBe('full')
    expect(await createSandboxUser(vasp.app)).toBe('full')
  })

  it('are limited per client network, unless rate limits are off', () => {
    const settings = { rateLimits: true, sandboxUsers: { perMinute: 20, maxLiving: 1, unusedHours: 1 } }
    const limiter = makeRateLimiter({ perSecond: 20 / 60, burst: 20 })
    const tries = (address: string, count: number): (number | undefined)[] =>
      Array.from({ length: count }, () => consumeUserCreation(settings, address, limiter))
    expect(tries('203.0.113.1', 20).every((seconds) => seconds === undefined)).toBe(true)
    expect(tries('203.0.113.1', 1)).toEqual([3])
    expect(tries('203.0.113.2', 1)).toEqual([undefined])
    expect(consumeUserCreation({ ...settings, rateLimits: false }, '203.0.113.1', limiter)).toBeUndefined()
  })

  it('sign in once with the code of their link, even if several clients use it at the same instant', async () => {
    const vasp = await makeTestVasp(db())
    const { username, signInCode } = await create(vasp)
    expect(await readSignInCode(db(), signInCode)).toMatchObject({ username })
    const taken = await Promise.all(Array.from({ length: 5 }, () => takeSignInCode(db(), signInCode)))
    expect(taken.filter((each) => each !== undefined)).toEqual([username])
    expect(await readSignInCode(db(), signInCode)).toBeUndefined()
  })

  it('cannot sign in with a code that is older than ten minutes', async () => {
    const vasp = await makeTestVasp(db())
    const { username, signInCode } = await create(vasp)
    await run(`update users set sign_in_code_expires_at = now() where id = $1`, [username])
    expect(await takeSignInCode(db(), signInCode)).toBeUndefined()
  })

  it('get a new password, which ends their other sessions and voids their sign-in link, and other users do not', async () => {
    const vasp = await makeTestVasp(db())
    const [user, other] = [await create(vasp), await create(vasp)]
    const [own, elsewhere, others] = [randomUUID(), randomUUID(), randomUUID()]
    for (const id of [own, elsewhere]) await openSession(db(), id, user.username)
    await openSession(db(), others, other.username)
    const password = await setRandomPassword(vasp.app, user.username, own)
    const isOpen = async (id: string): Promise<boolean> => (await userOfSession(db(), id)) !== undefined
    expect([await isOpen(own), await isOpen(elsewhere), await isOpen(others)]).toEqual([true, false, true])
    expect(await takeSignInCode(db(), user.signInCode)).toBeUndefined()
    expect(await takeSignInCode(db(), other.signInCode)).toBe(other.username)
    expect((await signIn(vasp.app, user.username, user.password)).kind).toBe('refused')
    expect((await signIn(vasp.app, user.username, password ?? '')).kind).toBe('signed-in')
    expect(await setRandomPassword(vasp.app, await newUser(vasp, { SAT: 1n }), own)).toBeUndefined()
  })

  it('are reset to their opening balances, and lose their connections, open invoices, quotes and requests', async () => {
    const vasp = await makeTestVasp(db())
    const [user, payer] = [await create(vasp), await newUser(vasp, { SAT: 50_000_000n })]
    const opening = await balancesOf(user.username)
    const paid = await invoiceOf(vasp, user.username, 'USD', 1_000_000n)
    const open = await invoiceOf(vasp, user.username, 'SAT', 1_000_000n)
    const payerToken = await vasp.connectionToken(payer, ['pay_invoice'])
    const token = await vasp.connectionToken(user.username, ['get_balance', 'fetch_quote', 'execute_quote'])
    const login = await vasp.loginToken(user.username)
    expect((await vasp.post('/payments/bolt11', payerToken, { invoice: paid.invoice })).status).toBe(200)
    const asked = new URLSearchParams({
      receiver_address: `$${payer}@localhost:3000`,
      sending_currency_code: 'USD',
      receiving_currency_code: 'SAT',
      locked_currency_amount: '100',
      locked_currency_side: 'sending',
    })
    const quote = await vasp.get(`/quote/lud16?${asked}`, token)
    expect(quote.status, JSON.stringify(quote.body)).toBe(200)
    expect(await balancesOf(user.username)).not.toEqual(opening)
    for (const username of [user.username, payer])
      await run(
        `insert into uma_requests (user_id, receiver_address, uuid, encoded, amount, currency, expires_at)
         values ($1, '$shop@other.example', $2, 'uma', 100, '{}', now() + interval '1 hour')`,
        [username, randomUUID()],
      )
    const openOf = (username: string): Promise<unknown[]> =>
      run(
        `select 'quote' as kind from quotes where user_id = $1 and expires_at > now()
         union all select 'request' from uma_requests where user_id = $1 and expires_at > now()`,
        [username],
      )
    expect(await openOf(user.username)).toEqual([{ kind: 'quote' }, { kind: 'request' }])

    expect(await resetUser(vasp.app, user.username, 'first')).toBe('reset')
    expect(await balancesOf(user.username)).toEqual(opening)
    // A quote to another VASP has no invoice here that could expire instead.
    expect(await openOf(user.username)).toEqual([])
    expect(await openOf(payer)).toEqual([{ kind: 'request' }])
    expect((await vasp.get('/balance', token)).status).toBe(401)
    expect((await vasp.exchange(login, { permissions: ['get_balance'] })).status).toBe(401)
    expect((await vasp.post('/payments/bolt11', payerToken, { invoice: open.invoice })).status).toBe(400)
    const fresh = await vasp.connectionToken(user.username, ['execute_quote'])
    const executed = await vasp.post(`/quote/${String(quote.body.payment_hash)}`, fresh, {})
    expect(executed.status).toBe(400)
    expect(await balancesOf(user.username)).toEqual(opening)
    await expectSound(db())
  })

  it('keep their balance when a reset is repeated', async () => {
    const vasp = await makeTestVasp(db())
    const { username } = await create(vasp)
    const opening = await balancesOf(username)
    expect(await resetUser(vasp.app, username, 'same')).toBe('reset')
    expect(await resetUser(vasp.app, username, 'same')).toBe('reset')
    expect(await balancesOf(username)).toEqual(opening)
    expect(await run(`select id from journal_entries where idempotency_key like $1`, [`reset:${username}:%`])).toEqual(
      [],
    )
    expect(await resetUser(vasp.app, 'no-such-user', 'x')).toBe('unknown')
  })

  it('are closed permanently: no session, connection, secret or payment reaches them, and the name stays taken', async () => {
    const vasp = await makeTestVasp(db())
    const [user, payer] = [await create(vasp), await newUser(vasp, { SAT: 50_000_000n })]
    const { username } = user
    const { invoice } = await invoiceOf(vasp, username, 'SAT', 1_000_000n)
    const [token, payerToken] = [
      await vasp.connectionToken(username, ['get_balance']),
      await vasp.connectionToken(payer, ['pay_invoice']),
    ]
    const sessionId = randomUUID()
    await openSession(db(), sessionId, username)
    const balances = await balancesOf(username)
    expect(await closeUser(vasp.app, username)).toBe(true)
    expect(await closeUser(vasp.app, username)).toBe(false)
    expect(await userOfSession(db(), sessionId)).toBeUndefined()
    expect((await vasp.get('/balance', token)).status).toBe(401)
    expect((await signIn(vasp.app, username, user.password)).kind).toBe('refused')
    expect(await callerOf(vasp, user.manageToken)).toBeUndefined()
    expect(await takeSignInCode(db(), user.signInCode)).toBeUndefined()
    expect((await vasp.post('/payments/bolt11', payerToken, { invoice })).status).toBe(400)
    expect(await findPayableUser(db(), username)).toBe('unknown')
    expect(await walletForKeysend({ db: db() }, username)).toBeUndefined()
    expect(await resetUser(vasp.app, username, 'late')).toBe('unknown')
    expect(await balancesOf(username)).toEqual(balances)
    await expect(run(`update users set status = 'active' where id = $1`, [username])).rejects.toThrow(
      'a closed user stays closed',
    )
    await expect(
      run(`insert into users (id, display_name, password_hash) values ($1, 'Again', 'none')`, [username]),
    ).rejects.toThrow()
    await expectSound(db())
  })

  it('are closed when they have been unused for their lifetime, and kept when an app or a browser has used them', async () => {
    const vasp = await makeTestVasp(db())
    const [unused, called, visited, shared] = [
      await create(vasp),
      await create(vasp),
      await create(vasp),
      await newUser(vasp, { SAT: 1n }),
    ]
    const token = await vasp.connectionToken(called.username, ['get_balance'])
    for (const { username } of [unused, called, visited]) await age(username, 25)
    expect((await vasp.get('/balance', token)).status).toBe(200)
    const sessionId = randomUUID()
    await openSession(db(), sessionId, visited.username)
    await userOfSession(db(), sessionId)
    expect(await removeUnusedUsers(vasp.app)).toBe(1)
    const statuses = async (usernames: string[]): Promise<unknown[]> =>
      run(`select status from users where id = any($1::text[]) order by array_position($1::text[], id)`, [usernames])
    expect(await statuses([unused.username, called.username, visited.username, shared])).toEqual([
      { status: 'closed' },
      { status: 'active' },
      { status: 'active' },
      { status: 'active' },
    ])
    await age(called.username, 23)
    await run(`update connections set last_used_at = last_used_at - interval '23 hours' where user_id = $1`, [
      called.username,
    ])
    expect(await removeUnusedUsers(vasp.app)).toBe(0)
  })
})
