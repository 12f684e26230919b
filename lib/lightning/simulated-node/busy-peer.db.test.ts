import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeOnPostgres } from '@/test/databases/databases'
import { keysendIn } from '@/test/lightning/outgoing'
import { disagreements, keysendOf, makePair, signedRequest, type Pair } from '@/test/lightning/sandbox-nodes'
import { newNodeSecret } from '@/test/vasp/keys'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { SimulatedNode } from './node'

/** The burst of calls that a peer may make after a pause (`peer-limits.ts`). */
const CALLS = 1_000

describeOnPostgres('A peer that makes all its calls concurrently', (server) => {
  const secretHex = newNodeSecret()
  let db: Database
  let vasp: TestVasp
  let pair: Pair
  let node: SimulatedNode
  let bystander: string

  beforeAll(async () => {
    db = await openDatabase({ databaseUrl: await server.createMigratedDatabase(), dataDir: '', log: () => {} })
    vasp = await makeTestVasp(db, { LIGHTNING_NODE_KEY: secretHex })
    pair = await makePair({ payerDb: db, payeeDb: db, vasp: { vasp, secretHex } })
    bystander = await vasp.connectionToken(await newUser(vasp, { SAT: 1_000n }), ['get_balance'])
  })
  // A new node for each test, because the rate limit, which is not tested here, counts earlier calls for some seconds.
  beforeEach(() => {
    node = pair.payeeWith({ rateLimits: true })
  })
  afterAll(() => db.close())

  const call = (path: string, body: unknown): Promise<Response> =>
    node.answer(signedRequest(pair.payerSecret, { path, body: JSON.stringify(body) }, pair.payeeOrigin))
  function payment(): Promise<Response> {
    const sent = keysendOf(pair)
    const { paymentHash, amountMsats, sendId } = sent
    const keysend = keysendIn(sent)
    const message = {
      payment_hash: paymentHash,
      attempt: String(sendId),
      amount_msats: String(amountMsats),
      deadline: Date.now() + 60_000,
      keysend,
    }
    return call('/sandbox-ln/v1/pay', message)
  }

  it.each<[string, () => Promise<Response>]>([
    ['payments', payment],
    ['statements', () => call('/sandbox-ln/v1/statement', {})],
  ])('does not block other clients from the database: %s', async (_, ask) => {
    const flood = Promise.all(Array.from({ length: CALLS }, ask))
    const seen: number[] = []
    for (let count = 0; count < 20; count++) seen.push((await vasp.get('/balance', bystander)).status)
    const answered = (await flood).map(({ status }) => status)
    expect(new Set(seen)).toEqual(new Set([200]))
    // The busy peer is served too, a few calls at a time.
    expect(new Set(answered)).toEqual(new Set([200]))
    expect(await disagreements(db)).toEqual([])
  })
})
