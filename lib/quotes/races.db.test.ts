import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair } from '@/test/vasp/keys'
import { expectSound, tally } from '@/test/vasp/leaving'
import { newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

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
