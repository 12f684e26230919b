import { createHash, createPrivateKey, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { Pool } from 'pg'
import { CASES, resolveTarget, runConformance, signInByRecipe, type RunOptions } from 'uma-auth-conformance'
import { importKeys } from 'uma-auth-vasp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { newKeyPair } from '@/packages/uma-auth-vasp/test/key-pair'
import { makeVisitor, type Visitor } from '@/sandbox/pairing/visitor'
import { describeOnPostgres } from '@/test/databases/databases'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { freePort } from '@/test/programs/free-port'
import { openPool } from './postgres/database'
import { createBankServer } from './postgres/server'
import { hashOf } from './postgres/sign-in'

const PASSWORD = 'of this test'
const GATEWAY = 'http://localhost:9'
const pair = newKeyPair()

describeOnPostgres('the PostgreSQL example, as a server', (server) => {
  let pool: Pool
  let bank: Server
  let origin: string
  /** The same keys for each instance. */
  let options: Parameters<typeof createBankServer>[3]

  beforeAll(async () => {
    pool = openPool(await server.createDatabase())
    await pool.query(readFileSync('examples/postgres/schema.sql', 'utf8'))
    for (const name of ['alice', 'bob'])
      await pool.query('insert into users (name, password_hash) values ($1, $2)', [name, hashOf(PASSWORD)])
    const port = await freePort()
    origin = `http://localhost:${port}`
    options = {
      gatewayRootUrl: GATEWAY,
      keys: await importKeys({ privateKey: pair.privatePem, publicKey: pair.publicPem }),
      loginSecret: randomBytes(32).toString('hex'),
    }
    bank = createBankServer(pool, origin, randomBytes(32).toString('hex'), options)
    await new Promise<void>((resolve) => bank.listen(port, 'localhost', resolve))
  })
  afterAll(async () => {
    await new Promise((resolve) => {
      bank.close(resolve)
      bank.closeAllConnections()
    })
    await pool.end()
  })

  const userNamed = (name: string) => ({ steps: [{ fields: { name, password: PASSWORD } }] })

  async function runKit(changes: Partial<RunOptions> = {}) {
    const { results } = await runConformance({
      target: resolveTarget({ vasp: origin, jwtPublicKey: pair.publicPem }),
      cases: CASES,
      signIn: signInByRecipe({
        users: [userNamed('alice'), userNamed('bob')],
        signOut: [{ url: `${origin}/account`, form: '/sign-out', fields: {} }],
        revoke: [{ url: `${origin}/account`, form: '/revoke', fields: {} }],
      }),
      signingKey: createPrivateKey(pair.privatePem),
      payments: true,
      uma: false,
      paymentSeconds: 30,
      ...changes,
    })
    return results
  }

  it('passes every conformance case for what it advertises', async () => {
    const results = await runKit()
    const open = results.filter(
      ({ status, reason }) => status === 'fail' || (status === 'not-run' && !reason.startsWith('needs --')),
    )
    expect(open.map(({ id, reason }) => `${id}: ${reason}`)).toEqual([])
    expect(results.filter(({ status }) => status === 'pass').length).toBeGreaterThan(185)
    for (const id of ['bearer.revoked', 'login.signed-out-again', 'pay-invoice.forged'])
      expect(results.find((each) => each.id === id)?.status).toBe('pass')
  })

  it('passes the case of an expired quote', async () => {
    await pool.query(`create function soon() returns trigger language plpgsql as
      'begin new.expires_at = new.created_at + interval ''2 seconds''; return new; end'`)
    await pool.query(`create trigger soon before insert on invoices for each row when (new.quoted_to is not null)
      execute function soon()`)
    const results = await runKit({ slow: true, cases: CASES.filter(({ id }) => id === 'execute-quote.expired') })
    expect(results).toMatchObject([{ status: 'pass', reason: '' }])
    await pool.query('drop trigger soon on invoices')
  })

  /** The page that the browser of a visitor shows for a login redirect. */
  const connect = (visitor: Visitor, redirectUri = `${GATEWAY}/back`) =>
    visitor.get(`${origin}/connect?${new URLSearchParams({ redirect_uri: redirectUri })}`)
  const pendingOf = (text: string): string => /name="pending" value="([^"]*)"/.exec(text)?.[1] ?? ''
  const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
  const post = (path: string, cookie: string, form: Readonly<Record<string, string>> = {}) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      body: new URLSearchParams(form),
      headers: { Cookie: cookie },
      redirect: 'manual',
    })

  async function signedIn(name: string, redirectUri = `${GATEWAY}/back`): Promise<{ cookie: string; token: string }> {
    const query = new URLSearchParams({ redirect_uri: redirectUri })
    const opened = await fetch(`${origin}/connect?${query}`, { redirect: 'manual' })
    const pending = pendingOf(await opened.text())
    const answer = await post('/sign-in', cookieOf(opened), { pending, name, password: PASSWORD })
    expect(answer.status).toBe(303)
    const token = new URL(answer.headers.get('location') ?? '').searchParams.get('token') ?? ''
    return { cookie: cookieOf(answer), token }
  }
  const api = (path: string, token: string, body?: object) =>
    fetch(`${origin}/umanwc/v1${path}`, {
      headers: { Authorization: `Bearer ${token}` },
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    })

  it('refuses a wrong password, an unknown name, and the form of another browser', async () => {
    const opened = await fetch(`${origin}/connect?${new URLSearchParams({ redirect_uri: `${GATEWAY}/back` })}`)
    const [cookie, pending] = [cookieOf(opened), pendingOf(await opened.text())]
    const wrong: readonly Readonly<Record<string, string>>[] = [
      { name: 'alice', password: 'wrong' },
      { name: 'alice', password: '' },
      { name: 'mallory', password: PASSWORD },
      { name: "alice' or '1'='1", password: PASSWORD },
      { name: 'alice\0', password: PASSWORD },
      { name: '', password: '' },
      { name: 'alice', password: '', continueAs: 'alice' },
    ]
    for (const given of wrong) {
      const refused = await post('/sign-in', cookie, { pending, ...given })
      expect(refused.status).toBe(403)
      expect(await refused.text()).toContain('The name or the password is wrong.')
    }
    for (const other of ['', `bank_session=${'A'.repeat(43)}`]) {
      const refused = await post('/sign-in', other, { pending, name: 'alice', password: PASSWORD })
      expect([refused.status, refused.headers.get('location')]).toEqual([400, null])
    }
  })

  it.each([20_000, 5_000_000])('refuses a form of %i bytes, and says that it closes the connection', async (length) => {
    for (const path of ['/sign-in', '/sign-out', '/nowhere']) {
      const refused = await post(path, '', { pending: 'x'.repeat(length) })
      expect([refused.status, refused.headers.get('connection')]).toEqual([413, 'close'])
      expect(await refused.text()).toContain('The form is too large.')
    }
  })

  it('lets the user choose when the app asks for another user', async () => {
    const { cookie } = await signedIn('alice')
    const visitor = makeVisitor()
    visitor.keep(origin, cookie)
    const page = await connect(visitor, `${GATEWAY}/back?uma_username=bob`)
    expect(page.text).toContain('Continue as alice')
    const form = { pending: pendingOf(page.text), continueAs: 'alice' }
    const chosen = await post('/sign-in', cookie, form)
    expect(chosen.headers.get('location')).toContain(`${GATEWAY}/back?uma_username=bob&token=`)
    const claims = JSON.parse(atob((/token=[^.]+\.([^.]+)/.exec(chosen.headers.get('location') ?? '') ?? [])[1] ?? ''))
    expect(claims).toMatchObject({ address: `$alice@${new URL(origin).host}` })
    expect(claims).toHaveProperty('sub', expect.stringMatching(/^[\da-f]{8}-/))
  })

  it('ends the login tokens of a session at sign-out, and keeps its connections until they are revoked', async () => {
    const { cookie, token } = await signedIn('alice')
    const exchange = () => api('/token', token, { permissions: ['get_balance'] })
    const connection = ((await (await exchange()).json()) as { token: string }).token
    expect((await post('/sign-out', cookie)).status).toBe(200)
    expect([(await exchange()).status, (await api('/info', token)).status]).toEqual([401, 401])
    expect((await api('/balance', connection)).status).toBe(200)
    expect((await post('/revoke', cookie)).status).toBe(403)
    expect((await api('/balance', connection)).status).toBe(200)
    expect((await post('/revoke', (await signedIn('bob')).cookie)).status).toBe(200)
    expect((await api('/balance', connection)).status).toBe(200)
    expect((await post('/revoke', (await signedIn('alice')).cookie)).status).toBe(200)
    expect((await api('/balance', connection)).status).toBe(401)
  })

  const exchange = (token: string) => api('/token', token, { permissions: ['get_balance', 'pay_to_address'] })
  const exchanged = async (token: string) => ((await (await exchange(token)).json()) as { token: string }).token
  const connectAs = (cookie: string) =>
    fetch(`${origin}/connect?${new URLSearchParams({ redirect_uri: `${GATEWAY}/back` })}`, {
      headers: { Cookie: cookie },
      redirect: 'manual',
    })

  /** Holds a row while the calls start, each when the one before it waits, and lets them go in this order. */
  async function inOrder(
    [table, id]: readonly ['sessions' | 'logins', string],
    ...calls: readonly (() => Promise<Response>)[]
  ): Promise<Response[]> {
    const holder = await pool.connect()
    const started: Promise<Response>[] = []
    try {
      await holder.query('begin')
      await holder.query(`select from ${table} where id = $1 for update`, [id])
      for (const call of calls) {
        started.push(call())
        await expect.poll(async () => (await holder.query(LOCK_WAITS)).rows.length).toBe(started.length)
      }
    } finally {
      await holder.query('commit')
      holder.release()
    }
    return Promise.all(started)
  }
  const sessionOf = (cookie: string) =>
    createHash('sha256')
      .update(cookie.split('=')[1] ?? '')
      .digest('hex')

  it('issues no login token after a sign-out that comes first, and ends the one of a sign-in that comes first', async () => {
    const first = (await signedIn('alice')).cookie
    const [signedOut, refused] = await inOrder(
      ['sessions', sessionOf(first)],
      () => post('/sign-out', first),
      () => connectAs(first),
    )
    expect([signedOut?.status, refused?.status, refused?.headers.get('location')]).toEqual([200, 401, null])

    const second = (await signedIn('alice')).cookie
    const [connected, out] = await inOrder(
      ['sessions', sessionOf(second)],
      () => connectAs(second),
      () => post('/sign-out', second),
    )
    expect([connected?.status, out?.status]).toEqual([303, 200])
    const token = new URL(connected?.headers.get('location') ?? '').searchParams.get('token') ?? ''
    expect([(await exchange(token)).status, (await api('/info', token)).status]).toEqual([401, 401])
  })

  it('ends the login tokens too when all connections are revoked, whichever comes first', async () => {
    const idOf = (token: string) => (JSON.parse(atob(token.split('.')[1] ?? '')) as { jti: string }).jti
    const revoked = await signedIn('alice')
    const other = await signedIn('alice')
    const [, refused] = await inOrder(
      ['logins', idOf(revoked.token)],
      () => post('/revoke', revoked.cookie),
      () => exchange(revoked.token),
    )
    expect([refused?.status, (await exchange(other.token)).status]).toEqual([401, 401])
    expect((await api('/info', other.token)).status).toBe(401)

    const again = await signedIn('alice')
    const [made, all] = await inOrder(
      ['logins', idOf(again.token)],
      () => exchange(again.token),
      () => post('/revoke', again.cookie),
    )
    expect([made?.status, all?.status]).toEqual([200, 200])
    const { token } = (await (made as Response).json()) as { token: string }
    expect((await api('/balance', token)).status).toBe(401)
  })

  it('answers other users while one sends many payments at once', async () => {
    const [alice, bob] = [await signedIn('alice'), await signedIn('bob')]
    const [paying, reading] = [await exchanged(alice.token), await exchanged(bob.token)]
    const payment = {
      receiver_address: `$bob@${new URL(origin).host}`,
      sending_currency_code: 'SAT',
      sending_currency_amount: 1,
    }
    const holder = await pool.connect()
    let payments: Promise<Response>[] = []
    try {
      await holder.query('begin')
      await holder.query(`select from users where name = 'alice' for update`)
      payments = Array.from({ length: 40 }, () => api('/payments/lud16', paying, payment))
      await expect.poll(async () => (await holder.query(LOCK_WAITS)).rows.length).toBe(4)
      expect((await api('/balance', reading)).status).toBe(200)
    } finally {
      await holder.query('commit')
      holder.release()
    }
    const answers = await Promise.all(payments)
    const limited = answers.filter(({ status }) => status === 429)
    expect([answers.filter(({ status }) => status === 200).length, limited.length]).toEqual([4, 36])
    expect(limited.map(({ headers }) => headers.get('retry-after'))).toEqual(limited.map(() => '1'))
  })

  it('answers 503 with Retry-After while the database is stopped, whatever is asked', async () => {
    const { token, cookie } = await signedIn('alice')
    const connection = await exchanged(token)
    const stopped = openPool('postgresql://localhost:9/stopped')
    const instance = createBankServer(stopped, origin, randomBytes(32).toString('hex'), options)
    const port = await freePort()
    await new Promise<void>((resolve) => instance.listen(port, 'localhost', resolve))
    const running = origin
    origin = `http://localhost:${port}`
    try {
      const answers = [
        await api('/balance', connection),
        await api('/info', connection),
        await api('/info', token),
        await exchange(token),
        await api('/payments/lud16', connection, {}),
      ]
      expect(answers.map(({ status, headers }) => [status, headers.get('retry-after')])).toEqual(
        answers.map(() => [503, '5']),
      )
      expect([(await connectAs(cookie)).status, (await post('/sign-out', cookie)).status]).toEqual([503, 503])
    } finally {
      origin = running
      await new Promise((resolve) => {
        instance.close(resolve)
        instance.closeAllConnections()
      })
      await stopped.end()
    }
  })

  it('finds no user for an address that only resembles one', async () => {
    const { token } = await signedIn('alice')
    const { token: connection } = (await (await api('/token', token, { permissions: ['lookup_user'] })).json()) as {
      token: string
    }
    const host = new URL(origin).host
    const statusOf = async (address: string) =>
      (await api(`/receiver/lud16/${encodeURIComponent(address)}`, connection)).status
    expect([await statusOf(`$bob@${host}`), await statusOf(`BOB@${host}`)]).toEqual([200, 200])
    for (const address of [
      `$bob@${host}@x`,
      '$bob@other.example',
      `$$bob@${host}`,
      `$bob\0@${host}`,
      `$mallory@${host}`,
    ])
      expect([400, 404]).toContain(await statusOf(address))
  })
})
