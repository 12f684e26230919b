import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { createQuote } from '@/lib/quotes/create'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newNodeSecret } from '@/test/vasp/keys'
import { expectSound, newPayer, statesOf, tally, type Payer } from '@/test/vasp/leaving'
import { invoiceOf, walletOf } from '@/test/vasp/money'
import { remoteReceiver } from '@/test/vasp/receivers'
import { makeTestVasp, onDatabase, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { hashOfPreimage } from '../lightning/preimage'

const AMOUNT = 1_000_000n
const OPENING = 10_000_000n

/** A row that a payment's statement locks. */
interface Row {
  readonly table: 'users' | 'invoices'
  readonly column: 'id' | 'payment_hash'
  readonly value: string
}
const rowOf = (payer: Payer): Row => ({ table: 'users', column: 'id', value: payer.username })
const invoiceRow = (value: string): Row => ({ table: 'invoices', column: 'payment_hash', value })

interface Gate {
  readonly opened: Promise<void>
  open(): void
}

function makeGate(): Gate {
  let open = (): void => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  return { opened, open: () => open() }
}

// The tests wait for their locks at the same time. Each locks a row of its own.
describeOnPostgres('A payment whose lock is not granted in time', (server) => {
  const node: ScriptedNode = makeScriptedNode(newNodeSecret(), newNodeSecret())
  let vasp: TestVasp
  let db: Database
  let url: string

  beforeAll(async () => {
    url = await server.createDatabase()
    db = await openPatiently(url)
    vasp = await makeTestVasp(db, { LIGHTNING_PEERS: node.peers }, undefined, node)
    vasp.app.paymentWorker.keepRunning()
  })
  afterAll(async () => {
    await vasp.app.paymentWorker.stop()
    await expectSound(db)
    await db.close()
  })

  /** Keeps the row locked until the answer arrives. */
  async function whileLocked({ table, column, value }: Row, answer: () => Promise<Answer>): Promise<Answer> {
    const lock = new Client({ connectionString: url })
    await lock.connect()
    try {
      await lock.query('begin')
      await lock.query(`select 1 from ${table} where ${column} = $1 for no key update`, [value])
      return await answer()
    } finally {
      await lock.end()
    }
  }

  /**
   * Runs two copies of a payment. The second finds no earlier payment and stops before its statement, and the first pays.
   * Then the second continues, while another session holds the row that its statement locks.
   */
  async function payTwice(statement: string, row: Row, pay: (on: TestVasp) => Promise<Answer>): Promise<Answer[]> {
    const [arrived, mayGoOn] = [makeGate(), makeGate()]
    const slowDb: Database = {
      ...db,
      async query(each, params) {
        if (each.name === statement) {
          arrived.open()
          await mayGoOn.opened
        }
        return db.query(each, params)
      },
    }
    const second = pay(onDatabase(vasp, slowDb))
    await arrived.opened
    const first = await pay(vasp)
    const answer = await whileLocked(row, () => {
      mayGoOn.open()
      return second
    })
    return [first, answer]
  }

  function expectPaidTogether(answers: readonly Answer[]): void {
    expect(tally(answers)).toEqual({ 200: 2 })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
  }

  test.concurrent('joins its copy: an invoice of another VASP is paid once, and both get the preimage', async () => {
    const payer = await newPayer(vasp, { SAT: OPENING })
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    expectPaidTogether(await payTwice('hold_payment', rowOf(payer), (on) => payer.pay(invoice, {}, on)))
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
    expect(node.sent.filter((each) => each.paymentHash === paymentHash)).toHaveLength(1)
    expect(await payer.balances()).toEqual([OPENING - AMOUNT, 0n])
  })

  test.concurrent('joins its copy: an invoice of another user of this VASP is paid once', async () => {
    const [payer, payee] = [await newPayer(vasp, { SAT: OPENING }), await newPayer(vasp, { SAT: 0n })]
    const { invoice, paymentHash } = await invoiceOf(vasp, payee.username, 'SAT', AMOUNT)
    const pay = (on: TestVasp): Promise<Answer> => payer.pay(invoice, {}, on)
    expectPaidTogether(await payTwice('settle_internal_payment', invoiceRow(paymentHash), pay))
    expect(await payer.balances()).toEqual([OPENING - AMOUNT, 0n])
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
  })

  test.concurrent('joins its copy: a keysend with the same preimage is sent once', async () => {
    const payer = await newPayer(vasp, { SAT: OPENING })
    const preimage = newNodeSecret()
    const body = { amount: Number(AMOUNT), pubkey: node.remoteKey, preimage }
    expectPaidTogether(await payTwice('hold_payment', rowOf(payer), (on) => payer.keysend(body, on)))
    expect(await statesOf(db, hashOfPreimage(preimage))).toEqual(['succeeded'])
    expect(await payer.balances()).toEqual([OPENING - AMOUNT, 0n])
  })

  test.concurrent('joins its copy: a keysend to another user of this VASP is booked once', async () => {
    const [payer, payee] = [await newPayer(vasp, { SAT: OPENING }), await newPayer(vasp, { SAT: 0n })]
    const named = { type: 696_969, value: Buffer.from(payee.username).toString('hex') }
    const body = {
      amount: Number(AMOUNT),
      pubkey: node.identity.publicKeyHex,
      preimage: newNodeSecret(),
      tlv_records: [named],
    }
    const pay = (on: TestVasp): Promise<Answer> => payer.keysend(body, on)
    expectPaidTogether(await payTwice('settle_internal_keysend', rowOf(payer), pay))
    expect(await payer.balances()).toEqual([OPENING - AMOUNT, 0n])
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
  })

  test.concurrent('joins its copy: a quote to another VASP is paid once', async () => {
    const payer = await newPayer(vasp, { USD: 3_000n })
    const wallet = await walletOf(db, payer.username, 'USD')
    const sending = { lockedSide: 'sending', lockedAmount: 1_000n } as const
    const asked = { username: payer.username, connectionId: null, wallet, ...sending }
    const { paymentHash } = await createQuote(vasp.app, remoteReceiver(node, 'EUR'), asked)
    const token = await vasp.connectionToken(payer.username, ['execute_quote'])
    const pay = (on: TestVasp): Promise<Answer> => on.post(`/quote/${paymentHash}`, token, {})
    expectPaidTogether(await payTwice('hold_payment', rowOf(payer), pay))
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
    expect(await payer.balances()).toEqual([2_000n, 0n])
  })

  test.concurrent('without a copy, is answered 503 and moves nothing', async () => {
    const payer = await newPayer(vasp, { SAT: OPENING })
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    expect(await whileLocked(rowOf(payer), () => payer.pay(invoice))).toMatchObject({ status: 503 })
    expect(await statesOf(db, paymentHash)).toEqual([])
    expect(await payer.balances()).toEqual([OPENING, 0n])
  })
})
