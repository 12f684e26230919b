import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { closeUser } from '@/lib/accounts/users'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newNodeSecret } from '@/test/vasp/keys'
import { expectSound, newPayer, tally, untilIs } from '@/test/vasp/leaving'
import { invoiceOf, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { resetUser, type ResetOutcome } from './sandbox-users'

const OPENING = 1_000_000n

/** Each reset of a SAT wallet, with the balance right after it and the amount held at that moment. */
const RESETS = {
  name: 'test_resets',
  text: `select p.balance_after as available,
                coalesce((select h.balance_after from postings h
                          where h.account_id = held.id and h.id < p.id order by h.id desc limit 1), 0) as held
         from journal_entries e
         join postings p on p.entry_id = e.id
         join ledger_accounts a on a.id = p.account_id and a.kind = 'available'
         join wallets w on w.id = a.wallet_id and w.user_id = $1
         join ledger_accounts held on held.wallet_id = w.id and held.kind = 'held'
         where e.kind = 'reset' order by p.id`,
}

describeOnPostgres('A reset at the same instant as', (server) => {
  const node: ScriptedNode = makeScriptedNode(newNodeSecret(), newNodeSecret())
  let vasp: TestVasp
  let db: Database

  beforeAll(async () => {
    db = await openPatiently(await server.createMigratedDatabase())
    vasp = await makeTestVasp(db, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '20' }, undefined, node)
    vasp.app.paymentWorker.keepRunning()
  })
  beforeEach(() => {
    node.script = 'arrives'
  })
  afterEach(() => expectSound(db))
  afterAll(async () => {
    await vasp.app.paymentWorker.stop()
    await db.close()
  })

  const reset = (username: string): Promise<ResetOutcome> => resetUser(vasp.app, username, randomUUID())
  const expectExactResets = async (username: string): Promise<void> => {
    const resets = await db.query<{ available: bigint; held: bigint }>(RESETS, [username])
    expect(resets.every(({ available, held }) => available === OPENING && held === 0n)).toBe(true)
    expect(await reset(username)).toBe('reset')
    expect((await walletOf(db, username, 'SAT')).available).toBe(OPENING)
  }

  test('payments inside this VASP, in both directions, leaves exact balances', async () => {
    const [user, other] = [await newPayer(vasp, { SAT: OPENING }), await newPayer(vasp, { SAT: OPENING })]
    for (let round = 0; round < 10; round++) {
      const [from, to] = [await newPayer(vasp, { SAT: OPENING }), user]
      const outgoing = await invoiceOf(vasp, other.username, 'SAT', 10_000n)
      const incoming = await invoiceOf(vasp, to.username, 'SAT', 20_000n)
      const token = await vasp.connectionToken(user.username, ['pay_invoice'])
      const [paid, received, first, second] = await Promise.all([
        vasp.post('/payments/bolt11', token, { invoice: outgoing.invoice }),
        from.pay(incoming.invoice),
        reset(user.username),
        reset(user.username),
      ])
      expect([200, 401]).toContain(paid.status)
      expect([200, 400]).toContain(received.status)
      expect([first, second]).toEqual(['reset', 'reset'])
    }
    await expectExactResets(user.username)
  })

  test('payments to other nodes is refused while one is pending, and is otherwise exact', async () => {
    const user = await newPayer(vasp, { SAT: OPENING })
    const outcomes: ResetOutcome[] = []
    for (let round = 0; round < 20; round++) {
      const token = await vasp.connectionToken(user.username, ['pay_invoice'])
      const invoices = Array.from({ length: 3 }, () => node.invoice(10_000n).invoice)
      const [outcome] = await Promise.all([
        reset(user.username),
        ...invoices.map((invoice) => vasp.post('/payments/bolt11', token, { invoice })),
        reset(user.username),
      ])
      outcomes.push(outcome)
    }
    expect(outcomes).not.toContain('unknown')
    await expectExactResets(user.username)
  })

  test('a payment that hangs changes nothing until the payment has ended', async () => {
    const user = await newPayer(vasp, { SAT: OPENING })
    const { invoice: open } = await invoiceOf(vasp, user.username, 'SAT', 5_000n)
    node.script = 'hangs'
    const { invoice, paymentHash } = node.invoice(10_000n)
    const answer = user.pay(invoice)
    await untilIs(db, paymentHash, 'sending')
    expect(await reset(user.username)).toBe('pending')
    expect((await vasp.get('/balance', user.token)).status).toBe(200)
    await node.end(paymentHash, 'succeeded')
    expect((await answer).status).toBe(200)
    expect(await reset(user.username)).toBe('reset')
    expect((await vasp.get('/balance', user.token)).status).toBe(401)
    const payer = await newPayer(vasp, { SAT: OPENING })
    expect((await payer.pay(open)).status).toBe(400)
    await expectExactResets(user.username)
  })

  test('nineteen other resets posts one entry', async () => {
    const user = await newPayer(vasp, { SAT: OPENING })
    const other = await newPayer(vasp, { SAT: OPENING })
    await user.pay((await invoiceOf(vasp, other.username, 'SAT', 10_000n)).invoice)
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => reset(user.username)))
    expect(outcomes.every((outcome) => outcome === 'reset')).toBe(true)
    expect(await db.query(RESETS, [user.username])).toEqual([{ available: OPENING, held: 0n }])
  })

  test('the deletion of the user never hangs, and each invoice is paid at most once', async () => {
    for (let round = 0; round < 10; round++) {
      const user = await newPayer(vasp, { SAT: OPENING })
      const payers = [await newPayer(vasp, { SAT: OPENING }), await newPayer(vasp, { SAT: OPENING })]
      const { invoice } = await invoiceOf(vasp, user.username, 'SAT', 5_000n)
      const [closed, outcome, ...answers] = await Promise.all([
        closeUser(vasp.app, user.username),
        reset(user.username),
        ...payers.map((payer) => payer.pay(invoice)),
        user.pay((await invoiceOf(vasp, payers[0]?.username ?? '', 'SAT', 1_000n)).invoice),
      ])
      expect(closed).toBe(true)
      expect(['reset', 'unknown']).toContain(outcome)
      expect(tally(answers.slice(0, 2))[200] ?? 0).toBeLessThanOrEqual(1)
    }
  })
})
