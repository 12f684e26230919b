import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair } from '@/test/vasp/keys'
import { expectSound, statesOf, tally } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { remoteReceiver } from '@/test/vasp/receivers'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp/vasp'
import { createQuote } from './create'

const COPIES = 50

describeOnPostgres('Quotes executed through two instances at once', (server) => {
  const node: ScriptedNode = makeScriptedNode()
  const instances: TestVasp[] = []
  let db: Database
  let payer: string
  let token: string

  beforeAll(async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const pair = newKeyPair()
    for (let each = 0; each < 2; each++) {
      const opened = await openPatiently(databaseUrl)
      const env = { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '20' }
      const vasp = await makeTestVasp(opened, env, pair, node)
      vasp.app.paymentWorker.keepRunning()
      instances.push(vasp)
    }
    db = first().app.db
  })
  beforeEach(async () => {
    node.sent.length = 0
    // Enough for three payments, so the balance is not what prevents a second one.
    payer = await newUser(first(), { USD: 3_000n })
    token = await first().connectionToken(payer, ['fetch_quote', 'execute_quote'])
  })
  afterEach(() => expectSound(db))
  afterAll(async () => {
    for (const { app } of instances) {
      await app.paymentWorker.stop()
      await app.db.close()
    }
  })

  const first = (): TestVasp => {
    const [vasp] = instances
    if (vasp === undefined) throw new Error('no instance')
    return vasp
  }
  const executions = (paymentHash: string): Promise<Answer[]> =>
    Promise.all(
      Array.from({ length: COPIES }, (_, index) =>
        (instances[index % 2] ?? first()).post(`/quote/${paymentHash}`, token, { budget_currency_code: 'EUR' }),
      ),
    )
  const onePayment = async (paymentHash: string, answers: readonly Answer[]): Promise<void> => {
    expect(tally(answers)).toEqual({ 200: COPIES })
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1)
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
    const { available, held } = await walletOf(db, payer, 'USD')
    expect([available, held]).toEqual([2_000n, 0n])
  }

  test('one quote to a user of this VASP makes one payment and gives fifty equal answers', async () => {
    const bob = await newUser(first(), { EUR: 0n })
    const query = {
      sending_currency_code: 'USD',
      receiving_currency_code: 'EUR',
      locked_currency_amount: '1000',
      locked_currency_side: 'sending',
      receiver_address: `$${bob}@localhost:3000`,
    }
    const { body } = await first().get(`/quote/lud16?${new URLSearchParams(query)}`, token)
    const paymentHash = String(body.payment_hash)
    await onePayment(paymentHash, await executions(paymentHash))
    expect((await walletOf(db, bob, 'EUR')).available).toBe(920n)
  })

  test('one quote to another VASP makes one payment, sends once and gives fifty equal answers', async () => {
    const wallet = await walletOf(db, payer, 'USD')
    const asked = { username: payer, connectionId: null, wallet, lockedSide: 'sending', lockedAmount: 1_000n } as const
    const { paymentHash } = await createQuote(first().app, remoteReceiver(node, 'EUR'), asked)
    await onePayment(paymentHash, await executions(paymentHash))
    expect(node.sent).toHaveLength(1)
  })

  test('of fifty quotes of one wallet, exactly as many are paid as the wallet covers', async () => {
    const bob = await newUser(first(), { EUR: 0n })
    const query = {
      sending_currency_code: 'USD',
      receiving_currency_code: 'EUR',
      locked_currency_amount: '1000',
      locked_currency_side: 'sending',
      receiver_address: `$${bob}@localhost:3000`,
    }
    const quotes = await Promise.all(
      Array.from({ length: COPIES }, () => first().get(`/quote/lud16?${new URLSearchParams(query)}`, token)),
    )
    const answers = await Promise.all(
      quotes.map(({ body }, index) =>
        (instances[index % 2] ?? first()).post(`/quote/${String(body.payment_hash)}`, token, {}),
      ),
    )
    expect(tally(answers)).toEqual({ 200: 3, 400: COPIES - 3 })
    const refused = answers.filter(({ status }) => status === 400)
    expect(new Set(refused.map(({ body }) => body.code))).toEqual(new Set(['INSUFFICIENT_BALANCE']))
    expect((await walletOf(db, payer, 'USD')).available).toBe(0n)
    expect((await walletOf(db, bob, 'EUR')).available).toBe(3n * 920n)
  })
})
