import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { NewEvent } from '@/lib/events/types'
import { answerPeer } from '@/lib/lightning/answer-peer'
import { describeOnBothEngines, describeOnTwoDatabases } from '@/test/databases/databases'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair, newNodeSecret } from '@/test/vasp/keys'
import {
  endLease,
  expectSound,
  houseBalance,
  impatient,
  newPayer,
  statesOf,
  untilUnknown,
  type Payer,
} from '@/test/vasp/leaving'
import { invoiceOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { nodePublicKey } from '../lightning/node-key'
import { makeSimulatedNode } from '../lightning/simulated-node/node'
import type { Database } from '../platform/db/database'
import { operate, type OperatorReply } from './operator'

const AMOUNT = 1_000_000n
const START = 5_000_000n
const BY = 'ops@north.example'
const BECAUSE = 'its operator has written that the node is gone'

interface Decision {
  readonly written_off_by: string
  readonly reason: string
  readonly heard: boolean
}

async function decisionOn(db: Database, paymentHash: string): Promise<Decision | undefined> {
  const text = `select d.written_off_by, d.reason, d.resolved_at is not null as heard
                from payment_write_offs d join payments p on p.id = d.payment_id where p.payment_hash = $1`
  return (await db.query<Decision>({ name: 'test_decision', text }, [paymentHash]))[0]
}

describeOnBothEngines('Resolving a payment as an operator', (db) => {
  const node = makeScriptedNode()
  let vasp: TestVasp
  let payer: Payer
  beforeAll(async () => {
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, undefined, node)
  })
  beforeEach(async () => {
    node.script = 'in flight'
    payer = await newPayer(vasp, { SAT: START })
  })

  async function payment(
    by = payer,
    amountMsats = AMOUNT,
  ): Promise<{ readonly paymentHash: string; readonly invoice: string }> {
    const issued = node.invoice(amountMsats)
    expect((await by.pay(issued.invoice, {}, impatient(vasp))).status).toBe(504)
    await untilUnknown(db(), issued.paymentHash)
    return issued
  }
  const fail = (paymentHash: string, peers: readonly string[] = []): Promise<OperatorReply> =>
    operate({ db: db(), log: vasp.app.log, accounts: peers }, { do: 'fail', paymentHash, by: BY, because: BECAUSE })

  test('shows which payments are pending at which node, and which nodes are no longer peers', async () => {
    const { paymentHash } = await payment()
    const listed = async (peers: readonly string[]): Promise<string> => {
      const { lines } = await operate({ db: db(), log: vasp.app.log, accounts: peers }, { do: 'list' })
      return lines.find((line) => line.includes(paymentHash)) ?? ''
    }
    expect(await listed([node.remoteKey])).toMatch(
      new RegExp(`sending since \\S+ {2}${AMOUNT} msats of ${payer.username} to ${node.remoteKey}$`),
    )
    expect(await listed([])).toMatch(/, which is no longer a peer$/)
  })

  test('says that the list ends before its end', async () => {
    const row = {
      id: 1n,
      paymentHash: 'a',
      username: 'u',
      nodeKey: 'n',
      amountMsats: 1n,
      state: 'held',
      createdAt: new Date(),
    }
    const listed = async (count: number): Promise<readonly string[]> => {
      const full = { ...db(), query: async () => Array.from({ length: count }, () => row) } as unknown as Database
      return (await operate({ db: full, log: vasp.app.log, accounts: [] }, { do: 'list' })).lines
    }
    expect((await listed(1_000)).at(-1)).toMatch(/^These are the oldest 1,000\./)
    expect((await listed(999)).at(-1)).toMatch(/^payment 1 /)
  })

  test('releases the hold once when the node is gone, and the operator and reason are stored and logged', async () => {
    const { paymentHash, invoice } = await payment()
    vasp.logged.length = 0
    expect(await fail(paymentHash)).toMatchObject({ done: true })
    expect(await fail(paymentHash)).toMatchObject({ done: false })
    expect(await statesOf(db(), paymentHash)).toEqual(['failed'])
    expect(await payer.balances()).toEqual([START, 0n])
    expect(await decisionOn(db(), paymentHash)).toEqual({ written_off_by: BY, reason: BECAUSE, heard: false })
    const lines = vasp.logged.filter((line) => line.includes('a payment was written off by an operator'))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toContain(BECAUSE)
    await expectSound(db())
    // The worker has nothing left to claim, and the invoice may be paid again.
    await vasp.app.paymentWorker.reconcile()
    expect(await statesOf(db(), paymentHash)).toEqual(['failed'])
    node.script = 'arrives'
    expect((await payer.pay(invoice)).status).toBe(200)
    expect(await statesOf(db(), paymentHash)).toEqual(['failed', 'succeeded'])
  })

  test('is refused while the node is in the settings, and changes nothing', async () => {
    const { paymentHash } = await payment()
    const before = await payer.balances()
    expect(await fail(paymentHash, [`02${'f'.repeat(64)}`, node.remoteKey])).toMatchObject({ done: false })
    expect([await statesOf(db(), paymentHash), await payer.balances()]).toEqual([['sending'], before])
    expect(await decisionOn(db(), paymentHash)).toBeUndefined()
  })

  test('is refused while a process holds the lease of the payment, and allowed between two leases', async () => {
    const { paymentHash } = await payment()
    const claim = async (by: string, until: string): Promise<unknown> =>
      db().query(
        {
          name: 'test_claim',
          text: `update payments set lease_owner = $2, lease_expires_at = now() + $3::interval where payment_hash = $1`,
        },
        [paymentHash, by, until],
      )
    await claim('a worker', '6 seconds')
    expect(await fail(paymentHash)).toMatchObject({ done: false, lines: [expect.stringContaining('try again')] })
    expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
    // The worker gets no answer from the node, and its lease ends.
    await endLease(db(), paymentHash)
    await vasp.app.paymentWorker.reconcile()
    expect(await fail(paymentHash)).toMatchObject({ done: true })
    expect(await payer.balances()).toEqual([START, 0n])
  })

  test('causes an event for the payer that names neither the operator nor the reason', async () => {
    const { paymentHash } = await payment()
    const events = { record: (event: NewEvent) => void recorded.push(event) }
    const recorded: NewEvent[] = []
    const ports = { db: db(), log: vasp.app.log, events, accounts: [] }
    await operate(ports, { do: 'fail', paymentHash, by: BY, because: BECAUSE })
    await operate(ports, { do: 'fail', paymentHash, by: BY, because: BECAUSE })
    expect(recorded).toMatchObject([
      { kind: 'payment', name: 'payment written off', userId: payer.username, paymentHash },
    ])
    expect(
      JSON.stringify(recorded, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value)),
    ).not.toMatch(new RegExp(`${BY}|${BECAUSE}`))
  })

  test('is refused for a payment that has ended and for an unknown hash', async () => {
    node.script = 'arrives'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    expect((await payer.pay(invoice)).status).toBe(200)
    expect(await fail(paymentHash)).toMatchObject({ done: false, lines: [expect.stringContaining('has ended')] })
    expect(await fail('0'.repeat(64))).toMatchObject({ done: false, lines: [expect.stringContaining('No payment')] })
    const own = await invoiceOf(vasp, (await newPayer(vasp, { SAT: 0n })).username, 'SAT', AMOUNT)
    expect((await payer.pay(own.invoice)).status).toBe(200)
    expect(await fail(own.paymentHash)).toMatchObject({ done: false, lines: [expect.stringContaining('No payment')] })
    expect(await statesOf(db(), paymentHash)).toEqual(['succeeded'])
  })

  test('leaves a write-off that cannot be changed or deleted', async () => {
    const { paymentHash } = await payment()
    await fail(paymentHash)
    const changes = [
      `update payment_write_offs set reason = 'another reason'`,
      `update payment_write_offs set written_off_by = 'somebody else'`,
      'delete from payment_write_offs',
      'truncate payment_write_offs',
    ]
    for (const text of changes)
      await expect(db().query({ name: `test_${text}`, text })).rejects.toThrow(/never changes|append-only/)
  })

  test('has every written-off payment tracked, however many others get no answer', async () => {
    const payers = [payer, await newPayer(vasp, { SAT: 20n * AMOUNT })]
    const invoices = await Promise.all(Array.from({ length: 22 }, (_, index) => payment(payers[index % 2], 100_000n)))
    for (const { paymentHash } of invoices) expect(await fail(paymentHash)).toMatchObject({ done: true })
    const latest = `select payment_hash from payments order by id desc limit 1`
    const [last] = await db().query<{ payment_hash: string }>({ name: 'test_latest_payment', text: latest })
    const paymentHash = last?.payment_hash ?? ''
    await node.end(paymentHash, 'failed')
    // A payment that cannot be tracked does not delay the others.
    const broken = invoices.map((issued) => issued.paymentHash).find((hash) => hash !== paymentHash)
    let askedInVain = 0
    const track: typeof node.track = (asked) => {
      if (asked.paymentHash !== broken) return node.track(asked)
      askedInVain += 1
      return Promise.reject(new Error('it cannot be read'))
    }
    const own = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, vasp.pair, { ...node, track })
    await own.app.paymentWorker.trackWrittenOff()
    await own.app.paymentWorker.trackWrittenOff()
    await own.app.paymentWorker.stop()
    expect(askedInVain).toBe(1)
    expect(await decisionOn(db(), paymentHash)).toMatchObject({ heard: true })
    await expectSound(db())
  })

  test('incurs a loss when the node reports that it made the payment', async () => {
    const own = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, vasp.pair, node)
    const { paymentHash } = await payment()
    const before = await houseBalance(db(), 'fees')
    expect(await fail(paymentHash)).toMatchObject({ done: true })
    await node.end(paymentHash, 'succeeded', 'tells')
    await node.end(paymentHash, 'succeeded', 'tells')
    expect((await houseBalance(db(), 'fees')) - before).toBe(-AMOUNT)
    expect(await payer.balances()).toEqual([START, 0n])
    expect(() => own.app.audit.refusePaymentsAfterBreach()).toThrow(/stopped/)
    await expectSound(db())
    await own.app.paymentWorker.stop()
  })
})

describeOnTwoDatabases('A written-off payment whose node comes back', (northDb, southDb) => {
  const pair = newKeyPair()
  const secrets = { north: newNodeSecret(), south: newNodeSecret() }
  const southPeer = `${nodePublicKey(secrets.south)}@http://localhost:3001`
  let south: TestVasp
  let payer: Payer
  let payee: Payer
  let wire: 'whole' | 'lost answers' | 'lost calls' = 'whole'

  /** The same VASP, with or without the peer in its settings. */
  const north = (peers: string): Promise<TestVasp> =>
    makeTestVasp(northDb(), { LIGHTNING_NODE_KEY: secrets.north, LIGHTNING_PEERS: peers }, pair, (parts) =>
      makeSimulatedNode({
        ...parts,
        post: async (url, init) => {
          if (wire === 'lost calls' && !url.endsWith('/statement')) throw new Error('nothing gets through')
          const answer = await answerPeer(south.app.simulatedNode, new Request(url, init))
          if (wire === 'lost answers' && !url.endsWith('/statement')) throw new Error('the answer is lost')
          return answer
        },
      }),
    )
  beforeAll(async () => {
    south = await makeTestVasp(southDb(), {
      VASP_DOMAIN: 'localhost:3001',
      LIGHTNING_NODE_KEY: secrets.south,
      LIGHTNING_PEERS: `${nodePublicKey(secrets.north)}@http://localhost:3000`,
    })
    payer = await newPayer(await north(southPeer), { SAT: START })
    payee = await newPayer(south, { SAT: 0n })
  })

  async function writeOff(how: typeof wire): Promise<string> {
    const { invoice, paymentHash } = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    wire = how
    const sender = await north(southPeer)
    expect((await payer.pay(invoice, {}, impatient(sender))).status).toBe(504)
    await untilUnknown(northDb(), paymentHash)
    // The node is removed from the settings, and the payment stays pending.
    const alone = await north('')
    await endLease(northDb(), paymentHash)
    await alone.app.paymentWorker.reconcile()
    expect(await statesOf(northDb(), paymentHash)).toEqual(['sending'])
    const request = { do: 'fail', paymentHash, by: BY, because: BECAUSE } as const
    expect(await operate({ db: northDb(), log: alone.app.log, accounts: [] }, request)).toMatchObject({ done: true })
    await expectSound(northDb())
    // The node is not asked while it is not a peer.
    await alone.app.paymentWorker.trackWrittenOff()
    expect(await decisionOn(northDb(), paymentHash)).toMatchObject({ heard: false })
    wire = 'whole'
    return paymentHash
  }

  test('is booked once as the operator’s loss when its node received it, and stops payments until an operator acknowledges it', async () => {
    const before = await houseBalance(northDb(), 'fees')
    const paymentHash = await writeOff('lost answers')
    const again = await north(southPeer)
    await again.app.paymentWorker.trackWrittenOff()
    await again.app.paymentWorker.trackWrittenOff()
    expect(await decisionOn(northDb(), paymentHash)).toMatchObject({ heard: true })
    expect((await houseBalance(northDb(), 'fees')) - before).toBe(-AMOUNT)
    expect(await payer.balances()).toEqual([START, 0n])
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    expect(await statesOf(northDb(), paymentHash)).toEqual(['failed'])
    await expectSound(northDb())
    await expectSound(southDb())
    const { breaches } = await again.app.audit.run('everything')
    expect(breaches.map(({ detail }) => detail)).toEqual([expect.stringContaining('succeeded after it was refunded')])
    const issued = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    expect((await payer.pay(issued.invoice, {}, again)).status).toBe(503)
    const [, id = ''] = /payment (\d+)/.exec(breaches[0]?.detail ?? '') ?? []
    await again.app.audit.acknowledge([BigInt(id)])
    expect((await payer.pay(issued.invoice, {}, again)).status).toBe(200)
    await expectSound(northDb())
  })

  test('is asked about once and causes no loss when its node never received it', async () => {
    const [before] = [await houseBalance(northDb(), 'fees')]
    const paymentHash = await writeOff('lost calls')
    const again = await north(southPeer)
    await again.app.paymentWorker.trackWrittenOff()
    expect(await decisionOn(northDb(), paymentHash)).toMatchObject({ heard: true })
    expect(await houseBalance(northDb(), 'fees')).toBe(before)
    expect((await again.app.audit.run('everything')).breaches).toEqual([])
    await expectSound(northDb())
  })
})
