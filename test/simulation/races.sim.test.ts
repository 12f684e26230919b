import { addressOf } from 'uma-auth-vasp'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { buildInvoice } from '@/lib/invoices/service'
import { rateOf } from '@/lib/money/currencies'
import type { Database } from '@/lib/platform/db/database'
import { createQuote } from '@/lib/quotes/create'
import { parseAddress } from '@/lib/uma/address'
import { lookUp } from '@/lib/uma/client/look-up'
import { appAt } from '@/test/vasp/app-at'
import { describeOnPostgres } from '../databases/databases'
import { openPatiently } from '../databases/patient-database'
import { makeScriptedNode, type ScriptedNode } from '../lightning/scripted-node'
import { expectSound, newPayer, tally, type Payer } from '../vasp/leaving'
import { invoiceOf, newUser, walletOf } from '../vasp/money'
import { makeTestVasp, type Answer, type TestVasp } from '../vasp/vasp'
import { writeInvoices } from './settlers'

// S5: races between statements that run at the same time on a real server, twenty times each.

const TIMES = 20
const SPENDS = 60
const COPIES = 100
const EACH_WAY = 50
const EXECUTIONS = 50
/** How long a quote between two of our users lasts. */
const QUOTE_SECONDS = 600
const SPEND_MSATS = 110_000n

describeOnPostgres('races on a real server', (server) => {
  let db: Database
  let vasp: TestVasp
  /** Two instances with the limits of production: each runs at most five calls of one user at once. */
  let instances: readonly TestVasp[]
  const node: ScriptedNode = makeScriptedNode()
  const seconds: Record<string, string> = {}

  beforeAll(async () => {
    db = await openPatiently(await server.createMigratedDatabase())
    vasp = await makeTestVasp(db, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '20' }, undefined, node)
    vasp.app.paymentWorker.keepRunning()
    const limited = (): Promise<TestVasp> => makeTestVasp(db, { RATE_LIMITS: 'on' }, vasp.pair)
    instances = [await limited(), await limited()]
    // Every connection is open before the first race, because opening one is not part of it.
    await Promise.all(Array.from({ length: 10 }, () => db.query({ name: 'race_ready', text: 'select pg_sleep(0.05)' })))
  })
  afterAll(async () => {
    console.log(`S5: ${TIMES} times each, in seconds: ${JSON.stringify(seconds)}`)
    await vasp.app.paymentWorker.stop()
    await db.close()
  })

  /** Repeats the same race and checks the books after the last one: they would then show the faults of all. */
  function race(name: string, once: () => Promise<void>): void {
    it(`${name}, ${TIMES} times`, async () => {
      const startedAt = performance.now()
      for (let time = 0; time < TIMES; time++) await once()
      seconds[name.slice(0, 3).trim()] = ((performance.now() - startedAt) / 1000).toFixed(1)
      await expectSound(db)
    })
  }
  /** Signed in sequence and written at once, because the preparation is not part of a race. */
  async function invoicesOf({ username }: Payer, count: number): Promise<string[]> {
    const wallet = await walletOf(db, username, 'SAT')
    const drawn = await Promise.all(
      Array.from({ length: count }, () => buildInvoice(vasp.app, { wallet, amountMsats: SPEND_MSATS, rates: rateOf })),
    )
    const rows = drawn.map(({ invoice: text, paymentHash: hash, preimageHex: preimage }) => ({
      text,
      hash,
      preimage,
      username,
      walletId: wallet.walletId,
      amountMsats: SPEND_MSATS,
    }))
    await writeInvoices(db, rows, Math.floor(Date.now() / 1000) * 1000)
    return drawn.map(({ invoice }) => invoice)
  }

  /** A quote of ten dollars, created `secondsAgo` by the VASP's own clock. */
  async function quoteOf(payer: string, payee: string, secondsAgo = 0): Promise<string> {
    const app = appAt(vasp, new Date(Date.now() - secondsAgo * 1_000))
    const receiver = await lookUp(app, payer, parseAddress(addressOf(payee, vasp.app.settings.vaspDomain)))
    const wallet = await walletOf(db, payer, 'USD')
    const asked = { username: payer, connectionId: null, wallet, lockedSide: 'sending', lockedAmount: 1_000n } as const
    return (await createQuote(app, receiver, { ...asked, receivingCode: 'EUR' })).paymentHash
  }
  async function executed(payer: string, paymentHash: string): Promise<Answer[]> {
    const token = await vasp.connectionToken(payer, ['execute_quote'])
    return Promise.all(
      Array.from({ length: EXECUTIONS }, () =>
        vasp.post(`/quote/${paymentHash}`, token, { budget_currency_code: 'EUR' }),
      ),
    )
  }

  race('of sixty spends of 110 at once from 1,100, exactly ten succeed', async () => {
    const [payer, payee] = [await newPayer(vasp, { SAT: 10n * SPEND_MSATS }), await newPayer(vasp, { SAT: 0n })]
    const invoices = await invoicesOf(payee, SPENDS)
    // Without the limits, all sixty would wait for ten connections, and a wait of two seconds is an error.
    const pay = (invoice: string, index: number) => payer.pay(invoice, {}, instances[index % instances.length])
    const answers = await Promise.all(invoices.map(pay))
    expect(tally(answers)).toEqual({ 200: 10, 400: SPENDS - 10 })
    const refused = answers.filter(({ status }) => status === 400)
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['INSUFFICIENT_BALANCE']))
    expect([await payer.balances(), await payee.balances()]).toEqual([
      [0n, 0n],
      [10n * SPEND_MSATS, 0n],
    ])
  })

  race('a hundred copies of a payment at once cause one debit and get one answer', async () => {
    const [payer, payee] = [await newPayer(vasp, { SAT: 5n * SPEND_MSATS }), await newPayer(vasp, { SAT: 0n })]
    const [invoice = ''] = await invoicesOf(payee, 1)
    const answers = await Promise.all(Array.from({ length: COPIES }, () => payer.pay(invoice)))
    expect(tally(answers)).toEqual({ 200: COPIES })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect([await payer.balances(), await payee.balances()]).toEqual([
      [4n * SPEND_MSATS, 0n],
      [SPEND_MSATS, 0n],
    ])
  })

  race('E2b: a hundred copies of an outgoing payment are sent once', async () => {
    const payer = await newPayer(vasp, { SAT: 5n * SPEND_MSATS })
    node.script = 'arrives'
    node.sent.length = 0
    const { invoice } = node.invoice(SPEND_MSATS)
    const answers = await Promise.all(Array.from({ length: COPIES }, () => payer.pay(invoice)))
    expect(tally(answers)).toEqual({ 200: COPIES })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect([node.sent.length, await payer.balances()]).toEqual([1, [4n * SPEND_MSATS, 0n]])
  })

  race('a quote that fifty calls execute at once is paid once, and the fifty answers are equal', async () => {
    const [payer, payee] = [await newUser(vasp, { USD: 3_000n }), await newUser(vasp, { EUR: 0n })]
    const answers = await executed(payer, await quoteOf(payer, payee))
    expect(tally(answers)).toEqual({ 200: EXECUTIONS })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    const [paid, got] = [await walletOf(db, payer, 'USD'), await walletOf(db, payee, 'EUR')]
    expect([paid.available, paid.held, got.available]).toEqual([2_000n, 0n, 920n])
  })

  race(
    'E5b: a quote that fifty calls execute at once after it expired by the database’s clock moves no money',
    async () => {
      const [payer, payee] = [await newUser(vasp, { USD: 3_000n }), await newUser(vasp, { EUR: 0n })]
      const answers = await executed(payer, await quoteOf(payer, payee, QUOTE_SECONDS + 1))
      expect(new Set(answers.map(({ status, body }) => `${status} ${String(body.message)}`))).toEqual(
        new Set(['400 This quote has expired. Ask for a new one.']),
      )
      const [kept, got] = [await walletOf(db, payer, 'USD'), await walletOf(db, payee, 'EUR')]
      expect([kept.available, kept.held, got.available]).toEqual([3_000n, 0n, 0n])
    },
  )

  race('an invoice that thirty payments here and the remote node settle at once is credited once', async () => {
    const payee = await newPayer(vasp, { SAT: 0n })
    const payers = await inTurn(6, () => newPayer(vasp, { SAT: SPEND_MSATS }))
    const { invoice, paymentHash } = await invoiceOf(vasp, payee.username, 'SAT', SPEND_MSATS)
    const received = (): Promise<void> =>
      node.tell({ kind: 'received', paymentHash, amountMsats: SPEND_MSATS, account: node.remoteKey })
    const paid: Promise<Answer>[] = []
    const deliveries: Promise<void>[] = []
    for (let copy = 0; copy < 60; copy++) {
      if (copy % 2 === 0) deliveries.push(received())
      else paid.push(payers[(copy >> 1) % payers.length]?.pay(invoice) ?? Promise.reject(new Error('a payer')))
    }
    const answers = await Promise.all(paid)
    await Promise.all(deliveries)
    expect(await payee.balances()).toEqual([SPEND_MSATS, 0n])
    // A payer that received 200 has paid, and either one payer or the node has paid, never two.
    const left = await inTurn(payers.length, async (index) => (await payers[index]?.balances())?.[0])
    const debited = left.filter((balance) => balance === 0n).length
    expect(debited).toBe(tally(answers)[200] === undefined ? 0 : 1)
    expect(left.filter((balance) => balance === SPEND_MSATS)).toHaveLength(payers.length - debited)
  })

  race('A pays B and B pays A, fifty times each at once, and every answer is 200', async () => {
    const money = 100n * SPEND_MSATS
    const [a, b] = [await newPayer(vasp, { SAT: money }), await newPayer(vasp, { SAT: money })]
    const [toB, toA] = [await invoicesOf(b, EACH_WAY), await invoicesOf(a, EACH_WAY)]
    const answers = await Promise.all(toB.flatMap((invoice, index) => [a.pay(invoice), b.pay(toA[index] ?? '')]))
    expect(tally(answers)).toEqual({ 200: 2 * EACH_WAY })
    expect([await a.balances(), await b.balances()]).toEqual([
      [money, 0n],
      [money, 0n],
    ])
  })
})

/** In sequence, because the preparation is not part of the race. */
async function inTurn<Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  for (let index = 0; index < count; index++) made.push(await make(index))
  return made
}
