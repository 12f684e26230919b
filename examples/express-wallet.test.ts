import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import bolt11 from 'bolt11'
import type { CallContext, WalletBackend } from 'uma-auth-vasp'
import { beforeEach, describe, expect, it } from 'vitest'
import { withAmount } from '@/packages/uma-auth-conformance/src/bolt11'
import { createWallet } from './express/wallet'

type Wallet = ReturnType<typeof createWallet>
type User = Wallet extends WalletBackend<infer Caller, 'SAT'> ? Caller : never

const OPENING_SATS = 1_000_000n
const START_SECONDS = 1_800_000_000
const context = {} as CallContext

let now: number
let wallet: Required<Wallet>
let alice: User
let bob: User
let carol: User

beforeEach(async () => {
  now = START_SECONDS
  wallet = createWallet(['alice', 'bob', 'carol'], () => now) as Required<Wallet>
  ;[alice, bob, carol] = [await signedIn('alice'), await signedIn('bob'), await signedIn('carol')]
})

const claims = (id: string, userId: string, use: 'login' | 'connection') =>
  ({ id, userId, use, scope: [], expiresAtSeconds: undefined }) as const

async function signedIn(userId: string): Promise<User> {
  const id = `login of ${userId}`
  const login = {
    id,
    userId,
    address: `$${userId}@localhost:4000`,
    expiresAtSeconds: now + 600,
    sessionId: undefined,
    appHost: undefined,
    clientId: undefined,
  }
  await wallet.logins.create(login)
  const user = await wallet.connections.open(claims(id, userId, 'login'), { release: () => undefined })
  if (user === undefined) throw new Error(`${userId} is not signed in`)
  return user
}

const connect = (loginId: string, id: string) =>
  wallet.connections.create({
    id,
    loginId,
    userId: 'alice',
    address: '$alice@localhost:4000',
    permissions: [],
    expiresAtSeconds: undefined,
  })

async function invoiceOf(user: User, amountMsats = 350_000n, expirySeconds?: number) {
  const terms = { amountMsats, description: 'Thread', descriptionHash: undefined, expirySeconds }
  const { invoice, paymentHash, ...rest } = await wallet.makeInvoice(user, terms, context)
  if (invoice === null) throw new Error('the invoice has no text')
  return { ...rest, invoice, paymentHash }
}

/** Turns a refusal that is thrown at once into a rejected promise. */
const pay = async (user: User, invoice: string, amountMsats?: bigint) =>
  wallet.payInvoice(user, { invoice, amountMsats, budgetCurrencyCode: 'SAT' }, context)

const balanceOf = async (user: User) => (await wallet.getBalance(user, { currencyCode: undefined }, context)).amount
const lookUp = (user: User, paymentHash: string) => wallet.lookupInvoice(user, { paymentHash }, context)

describe('the wallet of the Express example', () => {
  it('moves the amount of an invoice from the payer to the payee', async () => {
    const { invoice, paymentHash } = await invoiceOf(bob)
    const { preimage, totalBudgetAmount } = await pay(alice, invoice)
    expect(createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')).toBe(paymentHash)
    expect(totalBudgetAmount).toBe(350n)
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 350n)
    expect(await balanceOf(bob)).toBe(OPENING_SATS + 350n)
  })

  it('returns the stored preimage when the same user pays again, and debits once', async () => {
    const { invoice } = await invoiceOf(bob, 350_000n, 60)
    const first = await pay(alice, invoice)
    now += 3_600
    expect(await pay(alice, invoice.toUpperCase())).toEqual(first)
    expect(await pay(alice, `lightning:${invoice}`)).toEqual(first)
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 350n)
    expect(await balanceOf(bob)).toBe(OPENING_SATS + 350n)
  })

  it('refuses an invoice that another user has paid', async () => {
    const { invoice } = await invoiceOf(bob)
    await pay(alice, invoice)
    await expect(pay(carol, invoice)).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    expect(await balanceOf(carol)).toBe(OPENING_SATS)
  })

  it('refuses a payment above the balance, and accepts one for the whole balance', async () => {
    await pay(alice, (await invoiceOf(bob, 1_000n)).invoice)
    const { invoice } = await invoiceOf(bob, OPENING_SATS * 1_000n)
    await expect(pay(alice, invoice)).rejects.toMatchObject({ code: 'INSUFFICIENT_BALANCE' })
    await pay(carol, invoice)
    expect(await balanceOf(carol)).toBe(0n)
  })

  it('refuses an invoice from the second at which it expires', async () => {
    const [early, late] = [await invoiceOf(bob, 1_000n, 60), await invoiceOf(bob, 1_000n, 60)]
    expect(early.expiresAtSeconds).toBe(START_SECONDS + 60)
    now = START_SECONDS + 59
    await pay(alice, early.invoice)
    now = START_SECONDS + 60
    await expect(pay(alice, late.invoice)).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 1n)
  })

  it('keeps millisatoshis, rounds the shown balance down and the debit up', async () => {
    const { invoice } = await invoiceOf(bob, 1_500n)
    expect((await pay(alice, invoice)).totalBudgetAmount).toBe(2n)
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 2n)
    expect(await balanceOf(bob)).toBe(OPENING_SATS + 1n)
    await pay(bob, (await invoiceOf(alice, 1_500n)).invoice)
    expect(await balanceOf(alice)).toBe(OPENING_SATS)
    expect(await balanceOf(bob)).toBe(OPENING_SATS)
  })

  it('pays nothing for an invoice text that is not the stored one, whatever it says', async () => {
    const { invoice, paymentHash } = await invoiceOf(bob, 50_000_000n)
    const { network, timestamp } = bolt11.decode(invoice)
    const tags = [
      { tagName: 'payment_hash', data: paymentHash },
      { tagName: 'description', data: 'Forged' },
    ]
    const signedByOther = (amount: object): string => {
      const unsigned = bolt11.encode({ ...(network && { network }), timestamp: timestamp ?? 0, ...amount, tags })
      return bolt11.sign(unsigned, '11'.repeat(32)).paymentRequest ?? ''
    }
    const changed = [2_000, 49_999_000, 60_000_000].map((msats) => withAmount(invoice, msats) ?? '')
    for (const forged of [
      ...changed,
      signedByOther({ satoshis: 1 }),
      signedByOther({ satoshis: 50_000 }),
      signedByOther({}),
    ]) {
      expect(bolt11.decode(forged).tags.find(({ tagName }) => tagName === 'payment_hash')?.data).toBe(paymentHash)
      for (const text of [forged, forged.toUpperCase(), `lightning:${forged}`])
        await expect(pay(alice, text)).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    }
    expect([await balanceOf(alice), await balanceOf(bob)]).toEqual([OPENING_SATS, OPENING_SATS])
    expect(await lookUp(bob, paymentHash)).toMatchObject({ preimage: null, settledAtSeconds: null })
    await pay(alice, invoice)
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 50_000n)
  })

  it("refuses text that is not an invoice, the user's own invoice, and an amount that differs from the invoice", async () => {
    const { invoice } = await invoiceOf(bob, 2_000n)
    await expect(pay(alice, 'lnbcrt1')).rejects.toMatchObject({ code: 'OTHER' })
    await expect(pay(alice, `${invoice.slice(0, -1)}${invoice.endsWith('q') ? 'p' : 'q'}`)).rejects.toMatchObject({
      code: 'OTHER',
    })
    await expect(pay(alice, invoice, 1_000n)).rejects.toMatchObject({ code: 'OTHER' })
    await expect(pay(bob, invoice)).rejects.toMatchObject({ code: 'PAYMENT_FAILED' })
    await pay(alice, invoice, 2_000n)
  })

  it('creates only invoices between the smallest and the largest payment in /info', async () => {
    const [sat] = (await wallet.getInfo(alice, {}, context)).currencies
    if (sat === undefined) throw new Error('/info names no currency')
    await invoiceOf(bob, sat.min * 1_000n)
    await invoiceOf(bob, sat.max * 1_000n)
    await expect(invoiceOf(bob, sat.min * 1_000n - 1n)).rejects.toMatchObject({ code: 'OTHER' })
    await expect(invoiceOf(bob, sat.max * 1_000n + 1n)).rejects.toMatchObject({ code: 'OTHER' })
  })

  const withKey = (idempotencyKey: string, id = 'connection'): CallContext => ({
    ...context,
    claims: claims(id, 'alice', 'connection'),
    idempotencyKey,
  })

  it('answers a repeated key with the first answer, and refuses it for another request of any command', async () => {
    const terms = { amountMsats: 2_000n, description: 'Thread', descriptionHash: undefined, expirySeconds: undefined }
    const made = await wallet.makeInvoice(bob, terms, withKey('order'))
    expect(await wallet.makeInvoice(bob, { ...terms }, withKey('order'))).toEqual(made)
    const others = [{ amountMsats: 2_001n }, { description: undefined }, { descriptionHash: 'ab'.repeat(32) }]
    for (const other of [...others, { expirySeconds: 60 }])
      expect(() => wallet.makeInvoice(bob, { ...terms, ...other }, withKey('order'))).toThrow(
        'used for another request',
      )

    const payBy = async (invoice: string, by: CallContext, amountMsats?: bigint) =>
      wallet.payInvoice(alice, { invoice, amountMsats, budgetCurrencyCode: 'SAT' }, by)
    const [first, second] = [(await invoiceOf(bob, 3_000n)).invoice, (await invoiceOf(bob, 4_000n)).invoice]
    await expect(payBy(first, withKey('order'))).rejects.toMatchObject({ code: 'OTHER' })
    const paid = await payBy(first, withKey('pay'))
    expect(await payBy(first, withKey('pay'))).toEqual(paid)
    await expect(payBy(second, withKey('pay'))).rejects.toMatchObject({ code: 'OTHER' })
    await expect(payBy(first, withKey('pay'), 3_000n)).rejects.toMatchObject({ code: 'OTHER' })
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 3n)
    // A key belongs to a connection.
    await payBy(second, withKey('pay', 'another connection'))
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 7n)
  })

  it('keeps no key of a request that was refused, and keeps the last 10,000', async () => {
    const { invoice } = await invoiceOf(bob, 5_000n)
    const payWith = async (key: string, text: string) =>
      wallet.payInvoice(alice, { invoice: text, amountMsats: undefined, budgetCurrencyCode: 'SAT' }, withKey(key))
    await expect(payWith('k', 'lnbcrt1')).rejects.toMatchObject({ code: 'OTHER' })
    await payWith('k', invoice)
    const other = await invoiceOf(bob, 6_000n)
    for (let index = 1; index < 10_000; index++) await payWith(`k ${index}`, invoice)
    await expect(payWith('k', other.invoice)).rejects.toMatchObject({ code: 'OTHER' })
    await payWith('k 10000', invoice)
    await payWith('k', other.invoice)
    expect(await balanceOf(alice)).toBe(OPENING_SATS - 11n)
  })

  it('shows an invoice to its payee and its payer, and the preimage once it is paid', async () => {
    const { invoice, paymentHash, preimage } = await invoiceOf(bob)
    expect(preimage).toBeNull()
    expect(await lookUp(alice, paymentHash)).toBeUndefined()
    expect(await lookUp(bob, paymentHash)).toMatchObject({ type: 'incoming', preimage: null, settledAtSeconds: null })
    const paid = await pay(alice, invoice)
    const settled = { preimage: paid.preimage, settledAtSeconds: START_SECONDS, invoice, amountMsats: 350_000n }
    expect(await lookUp(alice, paymentHash)).toMatchObject({ ...settled, type: 'outgoing' })
    expect(await lookUp(bob, paymentHash)).toMatchObject({ ...settled, type: 'incoming' })
    expect(await lookUp(carol, paymentHash)).toBeUndefined()
  })

  it('creates at most 20 connections for one login, and none for an unknown login', async () => {
    for (let index = 0; index < 20; index++)
      expect(await connect('login of alice', `connection ${index}`)).toBe('created')
    expect(await connect('login of alice', 'one too many')).toBe('login-used-up')
    expect(await connect('another login', 'connection')).toBe('login-closed')
    const slot = { release: () => undefined }
    expect(await wallet.connections.open(claims('connection 0', 'alice', 'connection'), slot)).toBe(alice)
    expect(await wallet.connections.open(claims('one too many', 'alice', 'connection'), slot)).toBeUndefined()
    expect(await wallet.logins.find(claims('login of alice', 'alice', 'login'))).toBe('open')
    expect(await wallet.logins.find(claims('login of alice', 'mallory', 'login'))).toBe('unknown-user')
    now += 600
    await signedIn('bob')
    expect(await wallet.logins.find(claims('login of alice', 'alice', 'login'))).toBe('closed')
  })
})

describe('the files of the Express example', () => {
  it.each([
    ['server.ts', 100],
    ['wallet.ts', 200],
  ])('%s has at most %i lines', (file, most) => {
    expect(readFileSync(`examples/express/${file}`, 'utf8').trimEnd().split('\n').length).toBeLessThanOrEqual(most)
  })
})
