import { afterAll, beforeAll, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { newNodeSecret } from '@/test/vasp/keys'
import { expectSound, newPayer, statesOf, tally, untilIs, type Payer } from '@/test/vasp/leaving'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { LightningNode } from '../lightning/node'

const AMOUNT = 1_000_000n
/** More payments than the worker tracks concurrently, so that some wait. */
const TO_THE_SILENT = 25
const TO_THE_OTHER = 3

describeOnBothEngines('A peer that does not answer', (db) => {
  const secret = newNodeSecret()
  const silent: ScriptedNode = makeScriptedNode(secret)
  const other: ScriptedNode = makeScriptedNode(secret)
  /** Unanswered `track` calls to the silent peer. */
  const questions: (() => void)[] = []
  let speaks = false
  let vasp: TestVasp
  let payer: Payer

  const whose = (payee: string): ScriptedNode => (payee === silent.remoteKey ? silent : other)
  const node: LightningNode = {
    ...silent,
    accounts: [...silent.accounts, ...other.accounts],
    accountFor: (payee) => whose(payee).accountFor(payee),
    send: (payment) => whose(payment.payee).send(payment),
    async track(payment) {
      if (payment.account === silent.remoteKey && !speaks) await new Promise<void>((resolve) => questions.push(resolve))
      return whose(payment.account).track(payment)
    },
    listen: (listener) => silent.listen(listener),
  }

  beforeAll(async () => {
    const peers = `${silent.peers},${other.peers}`
    const env = { LIGHTNING_PEERS: peers, PAYMENT_WAIT_SECONDS: '1', MAX_OPEN_PAYMENTS_PER_USER: '100' }
    vasp = await makeTestVasp(db(), env, undefined, node)
    payer = await newPayer(vasp, { SAT: 100_000_000n })
  })
  afterAll(() => vasp.app.paymentWorker.stop())

  test('delays no payment to another peer, and is asked about at most twenty payments concurrently; all settle when it answers', async () => {
    silent.script = 'reply lost'
    other.script = 'reply lost'
    const toSilent = Array.from({ length: TO_THE_SILENT }, () => silent.invoice(AMOUNT))
    const toOther = Array.from({ length: TO_THE_OTHER }, () => other.invoice(AMOUNT))
    const answers = await Promise.all([...toSilent, ...toOther].map(({ invoice }) => payer.pay(invoice)))
    expect(tally(answers)).toEqual({ 504: TO_THE_SILENT + TO_THE_OTHER })
    await endAllLeases()

    const round = vasp.app.paymentWorker.reconcile()
    for (const { paymentHash } of toOther) await untilIs(db(), paymentHash, 'succeeded')
    expect(questions).toHaveLength(20)
    // Further rounds do not ask the silent peer again, and continue with the other peers' payments.
    other.script = 'reply lost'
    const late = other.invoice(AMOUNT)
    expect((await payer.pay(late.invoice)).status).toBe(504)
    await endAllLeases()
    await vasp.app.paymentWorker.reconcile()
    expect(await statesOf(db(), late.paymentHash)).toEqual(['succeeded'])
    expect(questions).toHaveLength(20)

    speaks = true
    for (const answer of questions) answer()
    await round
    await endAllLeases()
    await vasp.app.paymentWorker.reconcile()
    for (const { paymentHash } of toSilent) expect(await statesOf(db(), paymentHash)).toEqual(['succeeded'])
    expect([silent.sent.length, other.sent.length]).toEqual([TO_THE_SILENT, TO_THE_OTHER + 1])
    expect(await payer.balances()).toEqual([100_000_000n - AMOUNT * BigInt(TO_THE_SILENT + TO_THE_OTHER + 1), 0n])
    await expectSound(db())
  })

  /** Ends all leases, those of the silent peer's payments first. */
  async function endAllLeases(): Promise<void> {
    const text = `update payments set lease_expires_at = now() - case when node_key = $1 then interval '2 minutes' else interval '1 minute' end
                  where lease_expires_at is not null`
    await db().query({ name: 'test_nobody_acts', text }, [silent.remoteKey])
  }
})
