import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import bolt11 from 'bolt11'
import type { Pool } from 'pg'
import type { CallContext, InvoiceTerms, WalletBackend } from 'uma-auth-vasp'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { withAmount } from '@/packages/uma-auth-conformance/src/bolt11'
import { describeOnPostgres } from '@/test/databases/databases'
import { LOCK_WAITS } from '@/test/databases/lock-waits'
import { createBank } from './postgres/bank'
import { openPool } from './postgres/database'
import type { User } from './postgres/logins'

const DOMAIN = 'bank.example'
const OPENING_SATS = 1_000n
const slot = { release: () => undefined }
const SCHEMA = readFileSync('examples/postgres/schema.sql', 'utf8')

describeOnPostgres('the PostgreSQL example', (server) => {
  /** Two instances of the bank, with pools of their own on one database. */
  let pools: Pool[]
  let banks: Required<WalletBackend<User, 'SAT'>>[]
  let alice: User
  let bob: User
  let carol: User
  /** Of Alice, Bob and Carol. */
  let connections: Map<string, string>

  beforeAll(async () => {
    const url = await server.createDatabase()
    pools = [openPool(url), openPool(url)]
    await pool().query(SCHEMA)
    const nodeKey = randomBytes(32).toString('hex')
    banks = pools.map((each) => createBank(each, DOMAIN, nodeKey) as Required<WalletBackend<User, 'SAT'>>)
  })
  afterAll(() => Promise.all(pools.map((each) => each.end())))

  beforeEach(async () => {
    await pool().query('truncate users cascade')
    connections = new Map()
    ;[alice, bob, carol] = [await signedUp('alice'), await signedUp('bob'), await signedUp('carol')]
  })

  const pool = (): Pool => pools[0] as Pool
  const bank = (instance = 0) => banks[instance % banks.length] as Required<WalletBackend<User, 'SAT'>>
  const sql = async (text: string, ...values: unknown[]) =>
    (await pool().query<Record<string, unknown>>(text, values)).rows

  const newLogin = (userId: string, id: string) => ({
    id,
    userId,
    address: `$name@${DOMAIN}`,
    expiresAtSeconds: Math.floor(Date.now() / 1000) + 600,
    sessionId: `session of ${userId}`,
    appHost: undefined,
    clientId: undefined,
  })
  const newConnection = (userId: string, loginId: string, id: string) => ({
    id,
    loginId,
    userId,
    address: `$name@${DOMAIN}`,
    permissions: ['pay_invoice'],
    expiresAtSeconds: undefined,
  })
  const claims = (use: 'login' | 'connection', id: string, userId: string) => ({
    use,
    id,
    userId,
    scope: [],
    expiresAtSeconds: undefined,
  })

  async function signedUp(name: string): Promise<User> {
    const [user] = (await sql(
      `insert into users (name, password_hash, balance_msats) values ($1, 'x', $2) returning id, name`,
      name,
      OPENING_SATS * 1_000n,
    )) as unknown as User[]
    if (user === undefined) throw new Error('no user')
    await sql('insert into sessions (id, user_id) values ($1, $2)', `session of ${user.id}`, user.id)
    await bank().logins.create(newLogin(user.id, `login of ${name}`))
    await bank().connections.create(newConnection(user.id, `login of ${name}`, `connection of ${name}`))
    connections.set(user.id, `connection of ${name}`)
    return user
  }

  /** The context of a call by a user's connection. */
  const by = ({ id: userId }: User, idempotencyKey?: string): CallContext => ({
    requestId: 'request',
    claims: claims('connection', connections.get(userId) ?? '', userId),
    idempotencyKey,
    signal: undefined,
    slot,
  })

  async function invoiceOf(payee: User, sats: bigint, terms: Partial<InvoiceTerms> = {}) {
    const all = { description: undefined, descriptionHash: undefined, expirySeconds: undefined, ...terms }
    const made = await bank().makeInvoice(payee, { ...all, amountMsats: sats * 1_000n }, by(payee))
    if (made.invoice === null) throw new Error('the invoice has no text')
    return { ...made, invoice: made.invoice }
  }

  const pay = async (payer: User, invoice: string, { key, instance }: { key?: string; instance?: number } = {}) =>
    bank(instance).payInvoice(payer, { invoice, amountMsats: undefined, budgetCurrencyCode: 'SAT' }, by(payer, key))

  const quoteFor = (payer: User, sats: bigint, receiver = 'bob') =>
    bank().fetchQuote(
      payer,
      {
        sendingCurrencyCode: 'SAT',
        receivingCurrencyCode: 'SAT',
        lockedAmount: sats,
        lockedSide: 'sending',
        receiverAddress: `$${receiver}@${DOMAIN}`,
      },
      by(payer),
    )

  const payBob = async (payer: User, sats: bigint, { key, instance }: { key?: string; instance?: number } = {}) =>
    bank(instance).payToAddress(
      payer,
      {
        receiverAddress: `$bob@${DOMAIN}`,
        sendingCurrencyCode: 'SAT',
        sendingAmount: sats,
        receivingCurrencyCode: undefined,
        budgetCurrencyCode: 'SAT',
      },
      by(payer, key),
    )

  const balanceOf = async (user: User): Promise<bigint> =>
    (await bank().getBalance(user, { currencyCode: undefined }, by(user))).amount
  const balances = async () => [await balanceOf(alice), await balanceOf(bob), await balanceOf(carol)]

  /** Starts all calls while another transaction holds a row, and lets them go when every one of them waits for a lock. */
  async function atOnce<Result>(
    [table, id]: readonly [string, string],
    calls: readonly ((instance: number) => Promise<Result> | Result)[],
  ): Promise<{ done: Result[]; refused: unknown[] }> {
    const holder = await pool().connect()
    await holder.query('begin')
    const key = table === 'invoices' ? 'payment_hash' : 'id'
    await holder.query(`select from ${table} where ${key} = $1 for update`, [id])
    const all = Promise.allSettled(calls.map(async (call, index) => call(index)))
    await expect.poll(async () => (await sql(LOCK_WAITS)).length).toBe(calls.length)
    await holder.query('commit')
    holder.release()
    const outcomes = await all
    return {
      done: outcomes.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : [])),
      refused: outcomes.flatMap((each) =>
        each.status === 'rejected' ? [(each.reason as { code?: unknown }).code] : [],
      ),
    }
  }

  it('pays once when two calls with one idempotency key arrive at once, and gives both the same receipt', async () => {
    const call = (instance: number) => payBob(alice, 100n, { key: 'order 7', instance })
    const { done, refused } = await atOnce(['users', alice.id], [call, call, call])
    expect(refused).toEqual([])
    expect(done[1]).toEqual(done[0])
    expect(done[2]).toEqual(done[0])
    expect(await balances()).toEqual([900n, 1_100n, 1_000n])
  })

  it('keeps no key of a payment that was refused, and refuses a key for another request', async () => {
    await expect(payBob(alice, 1_001n, { key: 'k' })).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
    await payBob(alice, 10n, { key: 'k' })
    await expect(payBob(alice, 11n, { key: 'k' })).rejects.toMatchObject({ code: 'OTHER' })
    const { invoice } = await invoiceOf(bob, 10n)
    await expect(pay(alice, invoice, { key: 'k' })).rejects.toMatchObject({ code: 'OTHER' })
    // A key belongs to a connection.
    await payBob(carol, 12n, { key: 'k' })
    expect(await balances()).toEqual([990n, 1_022n, 988n])
  })

  it('lets one of two simultaneous payments spend a balance that covers one of them', async () => {
    const [first, second] = [await invoiceOf(bob, 700n), await invoiceOf(carol, 600n)]
    const { done, refused } = await atOnce(
      ['users', alice.id],
      [(instance) => pay(alice, first.invoice, { instance }), (instance) => pay(alice, second.invoice, { instance })],
    )
    expect([done.length, refused]).toEqual([1, ['INSUFFICIENT_BALANCE']])
    const [ofAlice, ofBob, ofCarol] = await balances()
    expect(ofAlice === 300n || ofAlice === 400n).toBe(true)
    expect((ofAlice ?? 0n) + (ofBob ?? 0n) + (ofCarol ?? 0n)).toBe(3n * OPENING_SATS)
  })

  it('takes the money of one of two users who pay an invoice at once', async () => {
    const { invoice, paymentHash } = await invoiceOf(bob, 50n)
    const payments = [alice, carol].map((payer) => (instance: number) => pay(payer, invoice, { instance }))
    const { done, refused } = await atOnce(['invoices', paymentHash], payments)
    expect([done.length, refused]).toEqual([1, ['PAYMENT_FAILED']])
    const [ofAlice = 0n, ofBob, ofCarol = 0n] = await balances()
    expect([ofAlice + ofCarol, ofBob]).toEqual([1_950n, 1_050n])
  })

  it('pays an invoice once when its payer sends it twice at once, without a key', async () => {
    const { invoice, paymentHash } = await invoiceOf(bob, 50n)
    const call = (instance: number) => pay(alice, invoice, { instance })
    const { done } = await atOnce(['invoices', paymentHash], [call, call])
    expect(done).toHaveLength(2)
    expect(done[1]).toEqual(done[0])
    expect(await balances()).toEqual([950n, 1_050n, 1_000n])
  })

  it('keeps the limit of a day when payments arrive at once', async () => {
    await sql('update users set daily_limit_msats = 250000 where id = $1', alice.id)
    const call = (instance: number) => payBob(alice, 100n, { instance })
    const { done, refused } = await atOnce(['users', alice.id], [call, call, call, call])
    expect([done.length, refused]).toEqual([2, ['QUOTA_EXCEEDED', 'QUOTA_EXCEEDED']])
    expect(await balances()).toEqual([800n, 1_200n, 1_000n])
    await sql(`update invoices set settled_at = settled_at - interval '25 hours'`)
    await payBob(alice, 250n)
  })

  it('executes a quote once when two calls arrive at once, and never after its expiry or for another user', async () => {
    const { paymentHash } = await quoteFor(alice, 80n)
    const execute = (user: User, hash: string, instance = 0) =>
      bank(instance).executeQuote(user, { paymentHash: hash, budgetCurrencyCode: undefined }, by(user))
    const call = (instance: number) => execute(alice, paymentHash, instance)
    const { done, refused } = await atOnce(['invoices', paymentHash], [call, call])
    expect(refused).toEqual([])
    expect(done[1]).toEqual(done[0])
    expect(await balances()).toEqual([920n, 1_080n, 1_000n])
    await expect(execute(carol, paymentHash)).rejects.toMatchObject({ code: 'NOT_FOUND' })

    const late = (await quoteFor(alice, 80n)).paymentHash
    await sql(`update invoices set expires_at = clock_timestamp() where payment_hash = $1`, late)
    await expect(execute(alice, late)).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    expect(await balances()).toEqual([920n, 1_080n, 1_000n])
    expect(await execute(alice, paymentHash)).toEqual(done[0])
  })

  it('reads the clock after it has waited: a payment that waits beyond the expiry is refused', async () => {
    const { invoice, expiresAtSeconds } = await invoiceOf(bob, 10n, { expirySeconds: 1 })
    const holder = await pool().connect()
    await holder.query('begin')
    await holder.query('select from users where id = $1 for update', [alice.id])
    const paying = pay(alice, invoice).catch((error: unknown) => error)
    await expect.poll(async () => (await sql(LOCK_WAITS)).length).toBe(1)
    await expect.poll(() => Date.now() / 1_000).toBeGreaterThan(expiresAtSeconds ?? 0)
    await holder.query('commit')
    holder.release()
    expect(await paying).toMatchObject({ code: 'PAYMENT_FAILED' })
    expect(await balances()).toEqual([1_000n, 1_000n, 1_000n])
  })

  it('makes no deadlock of payments in both directions, whichever begins and whoever waits', async () => {
    for (const waiting of [alice, bob])
      for (const order of [1, -1]) {
        const [toBob, toAlice] = [await invoiceOf(bob, 5n), await invoiceOf(alice, 7n)]
        const calls = [
          (instance: number) => pay(alice, toBob.invoice, { instance }),
          (instance: number) => pay(bob, toAlice.invoice, { instance }),
        ]
        const { done } = await atOnce(['users', waiting.id], order === 1 ? calls : calls.toReversed())
        expect(done).toHaveLength(2)
      }
    const { done } = await atOnce(
      ['users', alice.id],
      [(instance) => payBob(alice, 1n, { instance }), (instance) => payBob(alice, 2n, { instance })],
    )
    expect(done).toHaveLength(2)
    expect(await balances()).toEqual([1_005n, 995n, 1_000n])
  })

  it('finishes one sign-in request once when two calls arrive at once', async () => {
    const create = (instance: number) => bank(instance).logins.create(newLogin(alice.id, 'request 1'))
    const { done } = await atOnce(['users', alice.id], [create, create])
    expect(done.toSorted()).toEqual(['already-created', 'created'])
  })

  it('begins a login only for a session of its user that has neither ended nor expired', async () => {
    const create = (login: object) => bank().logins.create({ ...newLogin(alice.id, 'late'), ...login })
    const refused = { code: 'UNAUTHORIZED' }
    await expect(create({ sessionId: undefined })).rejects.toMatchObject(refused)
    await expect(create({ sessionId: 'no session' })).rejects.toMatchObject(refused)
    await expect(create({ sessionId: `session of ${bob.id}` })).rejects.toMatchObject(refused)
    await sql('update sessions set expires_at = clock_timestamp() where user_id = $1', alice.id)
    await expect(create({})).rejects.toMatchObject(refused)
    expect(await sql('select from logins where id = $1', 'late')).toEqual([])
  })

  it('creates no more connections of one login than allowed, and none of a login that has ended', async () => {
    const loginId = 'login of alice'
    for (let index = 0; index < 18; index++)
      await bank().connections.create(newConnection(alice.id, loginId, `connection ${index}`))
    const create = (id: string) => (instance: number) =>
      bank(instance).connections.create(newConnection(alice.id, loginId, id))
    const { done } = await atOnce(['logins', loginId], [create('x'), create('y'), create('z')])
    expect(done.toSorted()).toEqual(['created', 'login-used-up', 'login-used-up'])
    const stolen = newConnection(bob.id, loginId, 'stolen')
    expect(await bank().connections.create(stolen)).toBe('login-closed')
    await sql('update logins set closed = true where id = $1', 'login of bob')
    expect(await bank().connections.create(newConnection(bob.id, 'login of bob', 'late'))).toBe('login-closed')
    expect(await bank().logins.find(claims('login', 'login of bob', bob.id))).toBe('closed')
  })

  it('lets in a token for its own user only, until it is revoked or the user is suspended', async () => {
    const open = (use: 'login' | 'connection', id: string, userId: string) =>
      bank().connections.open(claims(use, id, userId), slot)
    const id = connections.get(alice.id) ?? ''
    expect(await open('connection', id, alice.id)).toEqual(alice)
    expect(await open('login', 'login of alice', alice.id)).toEqual(alice)
    expect(await open('connection', id, bob.id)).toBeUndefined()
    for (const unknown of ['', 'nobody', `${alice.id}0`, 'a\0b', alice.id.toUpperCase()]) {
      expect(await open('connection', id, unknown)).toBeUndefined()
      expect(await bank().logins.find(claims('login', 'login of alice', unknown))).toBe('unknown-user')
    }
    await sql('update users set active = false where id = $1', alice.id)
    expect(await open('connection', id, alice.id)).toBeUndefined()
    expect(await bank().logins.find(claims('login', 'login of alice', alice.id))).toBe('closed')
    await sql('update users set active = true where id = $1', alice.id)
    await sql('update connections set revoked = true where id = $1', id)
    expect(await open('connection', id, alice.id)).toBeUndefined()
  })

  it('keeps connections with the user when a name is given to somebody else', async () => {
    const id = connections.get(alice.id) ?? ''
    await sql(`update users set name = 'alicia' where id = $1`, alice.id)
    const other = await signedUp('alice')
    const caller = await bank().connections.open(claims('connection', id, alice.id), slot)
    expect(caller).toEqual({ id: alice.id, name: 'alicia' })
    if (caller === undefined) throw new Error('no caller')
    expect((await bank().getInfo(caller, {}, by(caller))).lud16).toBe(`$alicia@${DOMAIN}`)
    await bank().executeQuote(
      bob,
      { paymentHash: (await quoteFor(bob, 3n, 'alice')).paymentHash, budgetCurrencyCode: undefined },
      by(bob),
    )
    expect([await balanceOf(other), await balanceOf(alice)]).toEqual([1_003n, 1_000n])
  })

  it('pays nothing for an invoice text that is not the stored one, whatever it says', async () => {
    const { invoice, paymentHash } = await invoiceOf(bob, 500n)
    const { network, timestamp } = bolt11.decode(invoice)
    const tags = [
      { tagName: 'payment_hash', data: paymentHash },
      { tagName: 'description', data: '' },
    ]
    const signedByOther = (sats?: number): string => {
      const amount = sats === undefined ? {} : { satoshis: sats }
      const unsigned = bolt11.encode({ ...(network && { network }), timestamp: timestamp ?? 0, tags, ...amount })
      return bolt11.sign(unsigned, '22'.repeat(32)).paymentRequest ?? ''
    }
    const forged = [3_000, 499_000, 501_000, 7_000_000].map((msats) => withAmount(invoice, msats) ?? '')
    for (const text of [
      ...forged,
      forged[0]?.toUpperCase() ?? '',
      signedByOther(500),
      signedByOther(2),
      signedByOther(),
    ]) {
      expect(bolt11.decode(text).tags.find(({ tagName }) => tagName === 'payment_hash')?.data).toBe(paymentHash)
      await expect(pay(alice, text)).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
      await expect(pay(alice, `lightning:${text}`, { key: text.slice(-40) })).rejects.toMatchObject({
        code: 'PAYMENT_FAILED',
      })
    }
    expect(await balances()).toEqual([1_000n, 1_000n, 1_000n])
    expect((await bank().lookupInvoice(bob, { paymentHash }, by(bob)))?.preimage).toBeNull()
    await pay(alice, invoice.toUpperCase())
    expect(await balances()).toEqual([500n, 1_500n, 1_000n])
  })

  it('takes a lightning: before an invoice only', async () => {
    const { invoice } = await invoiceOf(bob, 5n)
    for (const [before, after] of [
      [invoice.slice(0, 30), invoice.slice(30)],
      [invoice.slice(0, 6), invoice.slice(6)],
      ['lightning:', invoice],
      [invoice, ''],
    ] as const)
      await expect(pay(alice, `${before}lightning:${after}`)).rejects.toMatchObject({ code: 'OTHER' })
    expect(await balanceOf(alice)).toBe(OPENING_SATS)
    await pay(alice, ` LIGHTNING:${invoice.toUpperCase()}\n`)
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 5n)
  })

  it('lets the payer of a quote alone pay its invoice, also as a text', async () => {
    const { paymentHash } = await quoteFor(alice, 30n)
    const { invoice } = (await bank().lookupInvoice(bob, { paymentHash }, by(bob))) ?? {}
    await expect(pay(carol, invoice ?? '')).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    await expect(pay(carol, `lightning:${invoice}`, { key: 'k' })).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    expect(await balances()).toEqual([1_000n, 1_000n, 1_000n])
    const { preimage } = await pay(alice, invoice ?? '')
    await expect(pay(carol, invoice ?? '')).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    const again = await bank().executeQuote(alice, { paymentHash, budgetCurrencyCode: undefined }, by(alice))
    expect(again.preimage).toBe(preimage)
    expect(await balances()).toEqual([970n, 1_030n, 1_000n])
  })

  it('lets one user run four calls at once, and counts a released slot once', async () => {
    const admit = async (user: User) => bank().admit(claims('connection', connections.get(user.id) ?? '', user.id))
    const slots = [await admit(alice), await admit(alice), await admit(alice), await admit(alice)]
    await expect(admit(alice)).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 1 })
    slots.push(await admit(bob))
    slots[0]?.release()
    slots[0]?.release()
    slots[0] = await admit(alice)
    await expect(admit(alice)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
    for (const each of slots) each?.release()
    ;(await admit(alice))?.release()
  })

  it('shows an invoice to its payee and its payer only, and the preimage once it is paid', async () => {
    const { invoice, paymentHash } = await invoiceOf(bob, 5n, { description: 'Thread' })
    const seenBy = (user: User) => bank().lookupInvoice(user, { paymentHash }, by(user))
    expect(await seenBy(alice)).toBeUndefined()
    expect(await seenBy(bob)).toMatchObject({ type: 'incoming', preimage: null, settledAtSeconds: null })
    const { preimage } = await pay(alice, invoice)
    expect(await seenBy(alice)).toMatchObject({ type: 'outgoing', preimage, description: 'Thread', feesPaidMsats: 0n })
    expect(await seenBy(bob)).toMatchObject({ type: 'incoming', preimage, amountMsats: 5_000n })
    expect(await seenBy(carol)).toBeUndefined()
  })

  it('rounds a debit up and a balance down, and keeps the millisatoshis', async () => {
    const all = { description: undefined, descriptionHash: undefined, expirySeconds: undefined }
    const made = await bank().makeInvoice(bob, { ...all, amountMsats: 1_500n }, by(bob))
    expect((await pay(alice, made.invoice ?? '')).totalBudgetAmount).toBe(2n)
    expect(await balances()).toEqual([998n, 1_001n, 1_000n])
    expect(await sql('select sum(balance_msats)::int8 as sum from users')).toEqual([{ sum: 3_000_000n }])
  })

  it('says that nothing was paid when the database refuses, and leaves the outcome open when the commit fails', async () => {
    const { invoice } = await invoiceOf(bob, 5n)
    await sql(`create function refuse() returns trigger language plpgsql as 'begin raise exception ''no''; end'`)
    const trigger = (when: string) =>
      sql(`create constraint trigger refuse after update on invoices ${when} for each row execute function refuse()`)
    await trigger('')
    await expect(pay(alice, invoice)).rejects.toMatchObject({ code: 'INTERNAL', retryAfterSeconds: 5 })
    await sql('drop trigger refuse on invoices')
    await trigger('deferrable initially deferred')
    await expect(pay(alice, invoice)).rejects.not.toHaveProperty('retryAfterSeconds')
    await sql('drop trigger refuse on invoices')
    expect(await balances()).toEqual([1_000n, 1_000n, 1_000n])
    await pay(alice, invoice)
  })

  it('has at most 450 lines of code', () => {
    const files = ['bank', 'database', 'invoices', 'logins', 'main', 'payments', 'server', 'sign-in']
    const lines = files.flatMap((name) => readFileSync(`examples/postgres/${name}.ts`, 'utf8').split('\n'))
    const code = lines.filter((line) => !/^\s*(?:$|\/\/|\/\*|\*)/.test(line))
    expect(code.length).toBeLessThanOrEqual(450)
  })
})
