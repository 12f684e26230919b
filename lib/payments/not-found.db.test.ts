import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { newKeyPair } from '@/test/vasp/keys'
import {
  endLease,
  expectSound,
  impatient,
  newPayer,
  statesOf,
  untilIs,
  untilUnknown,
  type Payer,
} from '@/test/vasp/leaving'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { SendOutcome, TrackOutcome } from '../lightning/node'
import type { Database } from '../platform/db/database'

const AMOUNT = 1_000_000n
const START = 2_000_000n
const UNKNOWN = { kind: 'unknown' } as const
const OTHER_NODE = `02${'d'.repeat(64)}`

describeOnBothEngines('A payment that its node does not find', (db) => {
  const scripted = makeScriptedNode()
  const NOT_FOUND = { kind: 'not-found', saidBy: scripted.identity.publicKeyHex } as const
  let sending: Promise<SendOutcome> = Promise.resolve(UNKNOWN)
  let said: TrackOutcome = UNKNOWN
  const node = { ...scripted, send: () => sending, track: () => Promise.resolve(said) }
  const pair = newKeyPair()
  let vasp: TestVasp
  let payer: Payer
  let paymentHash = ''

  const open = (): Promise<TestVasp> => makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, pair, node)
  beforeAll(async () => {
    vasp = await open()
  })
  beforeEach(async () => {
    sending = Promise.resolve(UNKNOWN)
    payer = await newPayer(vasp, { SAT: START })
    const issued = scripted.invoice(AMOUNT)
    paymentHash = issued.paymentHash
    expect((await payer.pay(issued.invoice, {}, impatient(vasp))).status).toBe(504)
    await untilUnknown(db(), paymentHash)
  })

  /** One worker round in which the node gives this answer. */
  async function round(outcome: TrackOutcome, on = vasp): Promise<void> {
    said = outcome
    await endLease(db(), paymentHash)
    await on.app.paymentWorker.reconcile()
  }
  /** Lets time pass: makes the stored time older. */
  async function pass(seconds: number): Promise<void> {
    const text = `update payments set not_found_at = not_found_at - make_interval(secs => $2) where payment_hash = $1`
    await db().query({ name: 'test_time_goes_on', text }, [paymentHash, seconds])
  }
  async function isNoted(): Promise<boolean> {
    const text = 'select not_found_at is not null as noted from payments where payment_hash = $1'
    return (await db().query<{ noted: boolean }>({ name: 'test_noted', text }, [paymentHash]))[0]?.noted === true
  }
  async function expectHeld(): Promise<void> {
    expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
    expect((await payer.balances())[1]).toBeGreaterThan(AMOUNT)
  }
  async function expectGivenBack(): Promise<void> {
    expect(await statesOf(db(), paymentHash)).toEqual(['failed'])
    expect(await payer.balances()).toEqual([START, 0n])
    await expectSound(db())
  }

  test('fails when the same node answers "not found" again after 60 seconds, and not a second earlier', async () => {
    await round(NOT_FOUND)
    await round(NOT_FOUND)
    await pass(58)
    await round(NOT_FOUND)
    await expectHeld()
    // Time alone is not enough: the node has to repeat its answer.
    await pass(60)
    await expectHeld()
    await round(NOT_FOUND)
    await expectGivenBack()
  })

  test('restarts the minute after any other answer', async () => {
    await round(NOT_FOUND)
    await pass(59)
    await round(UNKNOWN)
    expect(await isNoted()).toBe(false)
    await pass(600)
    await round(NOT_FOUND)
    await pass(59)
    await round(NOT_FOUND)
    await expectHeld()
    await pass(1)
    await round(NOT_FOUND)
    await expectGivenBack()
  })

  test('restarts the minute when a node with another key answers, and when the first node returns', async () => {
    await round(NOT_FOUND)
    await pass(120)
    await round({ kind: 'not-found', saidBy: OTHER_NODE })
    await expectHeld()
    await pass(59)
    await round(NOT_FOUND)
    await expectHeld()
    await pass(61)
    await round(NOT_FOUND)
    await expectGivenBack()
  })

  test('ignores "not found" while this process is sending it, even after another process took over', async () => {
    let answer: (outcome: SendOutcome) => void = () => {}
    sending = new Promise((resolve) => (answer = resolve))
    const issued = scripted.invoice(AMOUNT / 2n)
    paymentHash = issued.paymentHash
    const slow = await open()
    expect((await payer.pay(issued.invoice, {}, impatient(slow))).status).toBe(504)
    await untilIs(db(), paymentHash, 'sending')
    await round(NOT_FOUND)
    expect(await isNoted()).toBe(true)
    slow.app.paymentWorker.keepRunning()
    await expect.poll(isNoted).toBe(false)

    // The send ends with an unknown outcome: that is another answer, whichever worker holds the lease.
    await round(NOT_FOUND)
    await pass(120)
    answer(UNKNOWN)
    await slow.app.paymentWorker.stop()
    expect(await isNoted()).toBe(false)
    await round(NOT_FOUND)
    await expectHeld()
  })

  test('keeps the hold when another answer arrives at the last moment', async () => {
    await round(NOT_FOUND)
    await pass(61)
    const text = 'update payments set not_found_at = null, not_found_by = null where id = $1'
    const meddling: Database = {
      ...db(),
      query: async (statement, params) => {
        if (statement.name === 'give_up_unfound') await db().query({ name: 'test_word', text }, [params?.[0]])
        return db().query(statement, params)
      },
    }
    const other = await makeTestVasp(meddling, { LIGHTNING_PEERS: node.peers }, undefined, node)
    await round(NOT_FOUND, other)
    await expectHeld()
  })
})
