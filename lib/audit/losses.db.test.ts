import { beforeAll, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair } from '@/test/vasp/keys'
import { newPayer, statesOf } from '@/test/vasp/leaving'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from './invariants'

const AMOUNT = 1_000_000n

describeOnBothEngines('A refunded payment that arrives after all', (db) => {
  const pair = newKeyPair()
  const node: ScriptedNode = makeScriptedNode()
  let first: TestVasp
  let second: TestVasp
  const start = (): Promise<TestVasp> =>
    makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, pair, node)
  beforeAll(async () => {
    first = await start()
    second = await start()
  })

  async function lose(): Promise<bigint> {
    const payer = await newPayer(first, { SAT: 2n * AMOUNT })
    node.script = 'fails'
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    expect((await payer.pay(invoice)).status).toBe(400)
    await node.end(paymentHash, 'succeeded', 'tells')
    node.script = 'arrives'
    expect(await statesOf(db(), paymentHash)).toEqual(['failed'])
    return node.sent.at(-1)?.sendId ?? expect.fail('nothing was sent')
  }

  /** Whether this instance pays another node. */
  async function pays(vasp: TestVasp): Promise<boolean> {
    const payer = await newPayer(first, { SAT: 2n * AMOUNT })
    const sent = node.sent.length
    const { status, body } = await payer.pay(node.invoice(AMOUNT).invoice, {}, vasp)
    if (status === 200) return true
    expect([status, body.code, node.sent.length]).toEqual([503, 'INTERNAL', sent])
    return false
  }

  test('a loss stops payments in every process on the database, and in those that start later, until an operator acknowledges it', async () => {
    expect([await pays(first), await pays(second)]).toEqual([true, true])
    const lost = await lose()
    // A running process looks for losses every five seconds.
    await second.app.audit.lookForLosses()
    await first.app.audit.lookForLosses()
    expect([await pays(first), await pays(second)]).toEqual([false, false])
    expect(second.app.audit.state()).toBe('failed')
    const restarted = await start()
    const { breaches } = await restarted.app.audit.run('everything')
    expect(breaches).toEqual([
      {
        invariant: 'N7',
        detail: expect.stringContaining(`payment ${lost} succeeded after it was refunded`) as unknown,
      },
    ])
    expect(await pays(restarted)).toBe(false)

    // The acknowledgement of another payment does not count.
    await restarted.app.audit.acknowledge([lost + 1_000n])
    expect(await pays(restarted)).toBe(false)
    await restarted.app.audit.acknowledge([lost])
    expect(await pays(restarted)).toBe(true)
    for (const each of [first, second]) {
      await each.app.audit.lookForLosses()
      expect(await pays(each)).toBe(true)
    }
    expect((await first.app.audit.run('everything')).breaches).toEqual([])
    // The next loss stops payments again.
    await restarted.app.audit.acknowledge([lost])
    await lose()
    await second.app.audit.lookForLosses()
    expect(await pays(second)).toBe(false)
  })

  test('a loss stops payments at once in the process that booked it, even while that process looks for other losses', async () => {
    const own = await start()
    await own.app.audit.acknowledge(await allLosses())
    expect(await pays(own)).toBe(true)
    const looking = own.app.audit.lookForLosses()
    own.app.audit.report({ invariant: 'N7', detail: 'a payment was made after all' })
    await looking
    expect(own.app.audit.state()).toBe('failed')
    expect(await pays(own)).toBe(false)
  })

  test('an acknowledgement is accepted for a loss only, written once, and kept', async () => {
    await first.app.audit.acknowledge(await allLosses())
    const lost = await lose()
    const count = async (): Promise<unknown> => {
      const text = 'select count(*)::int as count from loss_acknowledgements where payment_id = any($1::bigint[])'
      return (await db().query<{ count: number }>({ name: 'test_acknowledged', text }, [[lost, lost - 1n]]))[0]?.count
    }
    expect(await first.app.audit.acknowledge([lost - 1n])).toEqual([])
    const before = await count()
    expect(await first.app.audit.acknowledge([lost, lost - 1n])).toEqual([lost])
    expect(await first.app.audit.acknowledge([lost])).toEqual([])
    expect(await count()).toBe(Number(before) + 1)
    for (const text of ['delete from loss_acknowledgements', 'update loss_acknowledgements set payment_id = 1'])
      await expect(db().query({ name: text, text })).rejects.toThrow(/append-only/)
  })

  test('N7: the audit finds a loss that the node has no record of', async () => {
    const lost = await lose()
    const found = await findBreaches(db(), FROM_THE_BEGINNING, await readAuditMark(db()), 'here')
    expect(found).toContainEqual({
      invariant: 'N7',
      detail: `payment ${lost} has the state failed and is booked as a loss; its send is missing at the node`,
    })
    await first.app.audit.acknowledge([lost])
  })

  async function allLosses(): Promise<bigint[]> {
    const text = `select payment_id from journal_entries where kind = 'loss'`
    return (await db().query<{ payment_id: bigint }>({ name: 'test_losses', text })).map((row) => row.payment_id)
  }
})
