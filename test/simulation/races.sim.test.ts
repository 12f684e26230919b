import { afterAll, beforeAll, expect, it } from 'vitest'
import { openDatabase, type Database } from '@/lib/db/database'
import { describeOnPostgres } from '../databases'
import { expectSound, newPayer, tally, type Payer } from '../leaving'
import { invoiceOf } from '../money'
import { makeScriptedNode, type ScriptedNode } from '../scripted-node'
import { makeTestVasp, type Answer, type TestVasp } from '../vasp'

// S5: what only happens between statements that truly run at once, on a real server, twenty times each. (E5, a quote that is
// executed fifty times at once, belongs here when there are quotes.)

const TIMES = 20
const SPENDS = 60
const COPIES = 100
const EACH_WAY = 50
const SPEND_MSATS = 110_000n

describeOnPostgres('S5: races on a real server', (server) => {
  let db: Database
  let vasp: TestVasp
  const node: ScriptedNode = makeScriptedNode()
  const seconds: Record<string, string> = {}

  beforeAll(async () => {
    db = await openDatabase({ databaseUrl: await server.createDatabase(), dataDir: '', log: () => {} })
    vasp = await makeTestVasp(db, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '20' }, undefined, node)
    vasp.deps.paymentWorker.keepRunning()
  })
  afterAll(async () => {
    console.log(`S5: ${TIMES} times each, in seconds: ${JSON.stringify(seconds)}`)
    await vasp.deps.paymentWorker.stop()
    await db.close()
  })

  /** The same race again and again; the books are added up after the last, when everything that could go wrong is in them. */
  function race(name: string, once: () => Promise<void>): void {
    it(`${name}, ${TIMES} times`, async () => {
      const startedAt = performance.now()
      for (let time = 0; time < TIMES; time++) await once()
      seconds[name.slice(0, 3).trim()] = ((performance.now() - startedAt) / 1000).toFixed(1)
      await expectSound(db)
    })
  }
  const invoicesOf = (payee: Payer, count: number): Promise<string[]> =>
    inTurn(count, async () => (await invoiceOf(vasp, payee.username, 'SAT', SPEND_MSATS)).invoice)

  race('E1: sixty spends of 110 at once from 1,100 are exactly ten', async () => {
    const [payer, payee] = [await newPayer(vasp, { SAT: 10n * SPEND_MSATS }), await newPayer(vasp, { SAT: 0n })]
    const invoices = await invoicesOf(payee, SPENDS)
    const answers = await Promise.all(invoices.map((invoice) => payer.pay(invoice)))
    expect(tally(answers)).toEqual({ 200: 10, 400: SPENDS - 10 })
    const refused = answers.filter(({ status }) => status === 400)
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['INSUFFICIENT_BALANCE']))
    expect([await payer.balances(), await payee.balances()]).toEqual([
      [0n, 0n],
      [10n * SPEND_MSATS, 0n],
    ])
  })

  race('E2: a hundred copies of a payment at once are one debit and one answer', async () => {
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

  race('E2b: a hundred copies of a payment that leaves are sent once', async () => {
    const payer = await newPayer(vasp, { SAT: 5n * SPEND_MSATS })
    node.script = 'arrives'
    node.sent.length = 0
    const { invoice } = node.invoice(SPEND_MSATS)
    const answers = await Promise.all(Array.from({ length: COPIES }, () => payer.pay(invoice)))
    expect(tally(answers)).toEqual({ 200: COPIES })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect([node.sent.length, await payer.balances()]).toEqual([1, [4n * SPEND_MSATS, 0n]])
  })

  race('E11: an invoice that thirty here and the node from outside settle at once is credited once', async () => {
    const payee = await newPayer(vasp, { SAT: 0n })
    const payers = await inTurn(6, () => newPayer(vasp, { SAT: SPEND_MSATS }))
    const { invoice, paymentHash } = await invoiceOf(vasp, payee.username, 'SAT', SPEND_MSATS)
    const received = (): Promise<void> =>
      node.tell({ kind: 'received', paymentHash, amountMsats: SPEND_MSATS, peer: node.remoteKey })
    const paid: Promise<Answer>[] = []
    const told: Promise<void>[] = []
    for (let copy = 0; copy < 60; copy++) {
      if (copy % 2 === 0) told.push(received())
      else paid.push(payers[(copy >> 1) % payers.length]?.pay(invoice) ?? Promise.reject(new Error('a payer')))
    }
    const answers = await Promise.all(paid)
    await Promise.all(told)
    expect(await payee.balances()).toEqual([SPEND_MSATS, 0n])
    // Whoever was told 200 has paid, and it is one of them or the node, never two.
    const left = await inTurn(payers.length, async (index) => (await payers[index]?.balances())?.[0])
    const debited = left.filter((balance) => balance === 0n).length
    expect(debited).toBe(tally(answers)[200] === undefined ? 0 : 1)
    expect(left.filter((balance) => balance === SPEND_MSATS)).toHaveLength(payers.length - debited)
  })

  race('E14: A pays B and B pays A, fifty times each at once, and every answer is 200', async () => {
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

/** One after the other: what is made before a race is no part of it. */
async function inTurn<Made>(count: number, make: (index: number) => Promise<Made>): Promise<Made[]> {
  const made: Made[] = []
  for (let index = 0; index < count; index++) made.push(await make(index))
  return made
}
