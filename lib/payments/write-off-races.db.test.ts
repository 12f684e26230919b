import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnPostgres } from '@/test/databases/databases'
import { openPatiently } from '@/test/databases/patient-database'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair } from '@/test/vasp/keys'
import { expectSound, houseBalance, newPayer, statesOf, type Payer } from '@/test/vasp/leaving'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { Database } from '../platform/db/database'
import { operate } from './operator'

const AMOUNT = 100_000n
const START = 5_000_000n
const DECISION = { by: 'ops@north.example', because: 'its operator has written that the node is gone' }

describeOnPostgres('A write-off on two instances concurrently', (server) => {
  const node = makeScriptedNode()
  const instances: TestVasp[] = []
  let db: Database
  let payer: Payer

  beforeAll(async () => {
    const databaseUrl = await server.createMigratedDatabase()
    const env = { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }
    const pair = newKeyPair()
    for (let each = 0; each < 2; each++) {
      const own = await openPatiently(databaseUrl)
      instances.push(await makeTestVasp(own, env, pair, node))
    }
    const [first] = instances
    if (first === undefined) throw new Error('no instance')
    db = first.app.db
    payer = await newPayer(first, { SAT: START })
  })
  afterAll(() => Promise.all(instances.map(({ app }) => app.db.close())))

  test('writes a payment off once or settles it once, and books a written-off payment that arrived as one loss', async () => {
    node.script = 'in flight'
    const invoices = Array.from({ length: 12 }, () => node.invoice(AMOUNT))
    expect(
      new Set((await Promise.all(invoices.map(({ invoice }) => payer.pay(invoice)))).map(({ status }) => status)),
    ).toEqual(new Set([504]))
    const before = await houseBalance(db, 'fees')
    const done: boolean[] = []
    await Promise.all(
      invoices.flatMap(({ paymentHash }, index) => {
        const request = { do: 'fail', paymentHash, ...DECISION } as const
        const writeOffs = instances.map(async ({ app }) => {
          done.push((await operate({ db: app.db, log: app.log, accounts: [] }, request)).done)
        })
        const tell = node.end(paymentHash, 'succeeded', 'tells')
        return index % 2 === 0 ? [...writeOffs, tell] : [tell, ...writeOffs]
      }),
    )
    const states = (await Promise.all(invoices.map(({ paymentHash }) => statesOf(db, paymentHash)))).flat()
    const writtenOff = BigInt(states.filter((state) => state === 'failed').length)
    expect(BigInt(done.filter(Boolean).length)).toBe(writtenOff)
    expect(states).toHaveLength(invoices.length)
    expect(await payer.balances()).toEqual([START - (BigInt(invoices.length) - writtenOff) * AMOUNT, 0n])
    for (const { app } of instances) await app.paymentWorker.trackWrittenOff()
    expect((await houseBalance(db, 'fees')) - before).toBe(-writtenOff * AMOUNT)
    await expectSound(db)
  })
})
