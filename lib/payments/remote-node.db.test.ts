import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeLndWorld, type LndWorld } from '@/test/lnd-like/world'
import { newKeyPair } from '@/test/vasp/keys'
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
import { invoiceOf, newUser, walletOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import type { CreditPlanner } from '../lightning/credit-planner'
import { hashOfPreimage } from '../lightning/preimage'
import { readiness } from '../platform/readiness'
import { readCursor } from './node-events'
import { previewPayment } from './preview'
import { makeCreditPlanner } from './receive'

const AMOUNT = 1_000_000n
const START = 5_000_000n

describeOnBothEngines('Payments through a node in another process', (db) => {
  const pair = newKeyPair()
  let world: LndWorld
  let vasp: TestVasp
  let payer: Payer

  const start = (): Promise<TestVasp> => makeTestVasp(db(), { PAYMENT_WAIT_SECONDS: '1' }, pair, world.open())
  /** Restarts the VASP: its memory is lost, and the node keeps running. */
  async function restart(): Promise<void> {
    await vasp.app.node.close()
    vasp = await start()
  }
  /** The answer does not wait for the end of the payment. */
  const payAtOnce = async (invoice: string): Promise<void> =>
    expect(await payer.pay(invoice, {}, impatient(vasp))).toMatchObject({ status: 504 })
  const untilHeld = (paymentHash: string): Promise<void> =>
    expect.poll(() => world.lnd.isHeld(paymentHash), { interval: 5 }).toBe(true)
  /** Runs worker rounds until the payment reaches this state. */
  async function recovered(paymentHash: string, state: string): Promise<void> {
    const round = async (): Promise<string[]> => {
      await endLease(db(), paymentHash)
      await vasp.app.paymentWorker.reconcile()
      return statesOf(db(), paymentHash)
    }
    await expect.poll(round, { interval: 20 }).toContain(state)
  }

  beforeEach(async () => {
    world = makeLndWorld(db())
    vasp = await start()
    payer = await newPayer(vasp, { SAT: START })
  })
  afterEach(async () => {
    await expectSound(db())
    await vasp.app.node.close()
  })

  describe('to other nodes', () => {
    test('are booked to the account of this VASP’s node, and keep the public key of the destination node', async () => {
      world.lnd.feeMsats = 1_001n
      const { invoice, paymentHash } = world.lnd.invoice(AMOUNT)
      expect((await payer.pay(invoice)).status).toBe(200)
      expect(await payer.balances()).toEqual([START - AMOUNT - 1_001n, 0n])
      const text = 'select node_key, payee_key from payments where payment_hash = $1'
      expect(await db().query({ name: 'test_keys_of_payment', text }, [paymentHash])).toEqual([
        { node_key: world.lnd.publicKeyHex, payee_key: world.lnd.remoteKey },
      ])
      const { body } = await payer.keysend({ amount: 2_000, pubkey: world.lnd.remoteKey })
      expect(body.preimage).toMatch(/^[0-9a-f]{64}$/)
      expect(await payer.balances()).toEqual([START - AMOUNT - 2_000n - 2n * 1_001n, 0n])
    })

    test('release the whole hold when they fail, and a second attempt pays once', async () => {
      const { invoice, paymentHash } = world.lnd.invoice(AMOUNT)
      world.journey('is refused')
      expect(await payer.pay(invoice)).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
      expect(await payer.balances()).toEqual([START, 0n])
      world.journey('arrives')
      expect((await payer.pay(invoice)).status).toBe(200)
      expect((await payer.pay(invoice)).status).toBe(200)
      expect(await statesOf(db(), paymentHash)).toEqual(['failed', 'succeeded'])
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
      expect(world.lnd.arrivals(paymentHash)).toBe(1)
      // The node's success belongs to the second attempt, so the first is not a loss.
      const [first] = await db().query<{ id: bigint }>(
        { name: 'test_first_try', text: `select id from payments where payment_hash = $1 and state = 'failed'` },
        [paymentHash],
      )
      const account = world.lnd.publicKeyHex
      const asked = { sendId: first?.id ?? 0n, paymentHash, account }
      expect(await vasp.app.node.track(asked)).toMatchObject({ kind: 'failed' })
    })

    test('blame the node’s channels, not the wallet, when the channels are too small', async () => {
      world.lnd.capacityMsats = 1n
      const { status, body } = await payer.pay(world.lnd.invoice(AMOUNT).invoice)
      expect([status, body.code]).toEqual([400, 'PAYMENT_FAILED'])
      expect(body.message).toContain('This VASP’s Lightning node has too little capacity')
    })

    test('whose answer was lost keep their hold until the node reports that they arrived', async () => {
      const { invoice, paymentHash } = world.lnd.invoice(AMOUNT)
      world.journey('loses its answer')
      await payAtOnce(invoice)
      await untilUnknown(db(), paymentHash)
      expect(await payer.balances()).toEqual([START - AMOUNT - 10_000n, 10_000n + AMOUNT])
      await recovered(paymentHash, 'succeeded')
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
      expect(world.lnd.arrivals(paymentHash)).toBe(1)
    })

    test.each([
      ['arrives', 'succeeded', START - AMOUNT],
      ['is refused', 'failed', START],
    ] as const)(
      'that were pending at a restart of this VASP end as the node reports: %s',
      async (fate, state, left) => {
        const { invoice, paymentHash } = world.lnd.invoice(AMOUNT)
        world.journey('is held')
        await payAtOnce(invoice)
        await untilHeld(paymentHash)
        await restart()
        await endLease(db(), paymentHash)
        await vasp.app.paymentWorker.reconcile()
        expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
        world.lnd.release(paymentHash, fate)
        await recovered(paymentHash, state)
        expect(await payer.balances()).toEqual([left, 0n])
      },
    )

    test('keep their hold through a restart of the node', async () => {
      const { invoice, paymentHash } = world.lnd.invoice(AMOUNT)
      world.journey('is held')
      await payAtOnce(invoice)
      await untilHeld(paymentHash)
      world.lnd.stop()
      await endLease(db(), paymentHash)
      await vasp.app.paymentWorker.reconcile()
      expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
      world.lnd.begin()
      world.lnd.ready()
      world.lnd.release(paymentHash)
      await recovered(paymentHash, 'succeeded')
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
    })

    test('that never reached the node release their hold after a minute, and a second attempt pays once', async () => {
      const { invoice, paymentHash } = world.lnd.invoice(AMOUNT)
      world.lnd.lostCalls = 1
      await payAtOnce(invoice)
      await untilUnknown(db(), paymentHash)
      await endLease(db(), paymentHash)
      await vasp.app.paymentWorker.reconcile()
      expect(await statesOf(db(), paymentHash)).toEqual(['sending'])
      const minute = `update payments set not_found_at = not_found_at - interval '61 seconds' where payment_hash = $1`
      await db().query({ name: 'test_a_minute', text: minute }, [paymentHash])
      await recovered(paymentHash, 'failed')
      expect(await payer.balances()).toEqual([START, 0n])
      expect((await payer.pay(invoice)).status).toBe(200)
      expect(await payer.balances()).toEqual([START - AMOUNT, 0n])
      expect(world.lnd.arrivals(paymentHash)).toBe(1)
    })

    test('are not sent while the node is unreachable, and leave nothing held', async () => {
      world.lnd.stop()
      const { invoice } = world.lnd.invoice(AMOUNT)
      expect(await payer.pay(invoice)).toMatchObject({ status: 503, body: { code: 'PAYMENT_FAILED' } })
      expect(await payer.balances()).toEqual([START, 0n])
    })

    test('of less than a satoshi are refused with that reason before anything is held', async () => {
      const sentence = 'A payment to another node must be at least 1 SAT.'
      const { invoice, paymentHash } = world.lnd.invoice(999n)
      expect(await payer.pay(invoice)).toMatchObject({ status: 400, body: { code: 'OTHER', message: sentence } })
      expect(await payer.keysend({ amount: 999, pubkey: world.lnd.remoteKey })).toMatchObject({
        status: 400,
        body: { message: sentence },
      })
      expect(await statesOf(db(), paymentHash)).toEqual([])
      expect(await payer.balances()).toEqual([START, 0n])
      expect(await previewPayment(vasp.app, payer.username, invoice)).toEqual({ kind: 'problem', message: sentence })
      const other = await newUser(vasp, { SAT: 0n })
      const own = await invoiceOf(vasp, other, 'SAT', 999n)
      expect((await payer.pay(own.invoice)).status).toBe(200)
    })

    test('blame the network fee, not the wallet, when every route costs too much', async () => {
      world.lnd.feeMsats = 10_001n
      const { invoice } = world.lnd.invoice(AMOUNT)
      const { status, body } = await payer.pay(invoice)
      expect([status, body.code]).toEqual([400, 'PAYMENT_FAILED'])
      expect(body.message).toContain('costs more than the maximum network fee')
      expect(await payer.balances()).toEqual([START, 0n])
      expect(await previewPayment(vasp.app, payer.username, world.lnd.invoice(AMOUNT).invoice)).toMatchObject({
        kind: 'problem',
        message: expect.stringContaining('costs more than the maximum network fee') as string,
      })
    })

    test('are previewed only when the node has a route', async () => {
      const { invoice } = world.lnd.invoice(AMOUNT)
      expect(await previewPayment(vasp.app, payer.username, invoice)).toMatchObject({ kind: 'ready' })
      vi.spyOn(vasp.app.node, 'mayReach').mockResolvedValue(undefined)
      expect(await previewPayment(vasp.app, payer.username, invoice)).toMatchObject({
        kind: 'problem',
        message: expect.stringContaining('There is no route') as string,
      })
    })
  })

  describe('from other nodes', () => {
    const newInvoice = (): ReturnType<typeof invoiceOf> => invoiceOf(vasp, payer.username, 'SAT', AMOUNT)
    const nowHas = (msats: bigint) => expect.poll(() => payer.balances(), { interval: 20 }).toEqual([msats, 0n])

    test('are credited once, including those that arrived while this VASP was down', async () => {
      const [first, second] = [await newInvoice(), await newInvoice()]
      await expect.poll(() => readCursor(vasp.app)).toBe('0')
      expect(world.lnd.payFromOutside(first.paymentHash, AMOUNT)).toBe(true)
      await nowHas(START + AMOUNT)
      await expect.poll(() => readCursor(vasp.app)).toBe('1')
      await vasp.app.node.close()
      expect(world.lnd.payFromOutside(second.paymentHash, AMOUNT)).toBe(true)
      await restart()
      await nowHas(START + 2n * AMOUNT)
      await restart()
      await expect.poll(() => readCursor(vasp.app)).toBe('2')
      await nowHas(START + 2n * AMOUNT)
    })

    test('by keysend are credited to the named user, or to suspense when there is no such user', async () => {
      await expect.poll(() => readCursor(vasp.app)).toBe('0')
      const before = await houseBalance(db(), 'suspense')
      const named = (name: string) => [{ type: 696_969, value: Buffer.from(name).toString('hex') }]
      world.lnd.keysendFromOutside(randomBytes(32).toString('hex'), 7_000n, named(payer.username))
      await nowHas(START + 7_000n)
      world.lnd.keysendFromOutside(randomBytes(32).toString('hex'), 8_000n, named('nobody-here'))
      await expect.poll(async () => (await houseBalance(db(), 'suspense')) - before).toBe(8_000n)
      await nowHas(START + 7_000n)
    })

    test('by keysend are returned to the payer when they name no user, if the node holds them until they are planned', async () => {
      const planner: CreditPlanner = {
        planCredit: (incoming) => makeCreditPlanner(vasp.app, world.lnd.publicKeyHex).planCredit(incoming),
      }
      await vasp.app.node.close()
      await expect.poll(() => world.lnd.isFollowed()).toBe(false)
      vasp = await makeTestVasp(db(), {}, pair, world.open({ creditPlanner: planner }))
      await expect.poll(() => world.lnd.isFollowed()).toBe(true)
      world.lnd.holdsKeysends = true
      const before = await houseBalance(db(), 'suspense')
      const named = (name: string) => [{ type: 696_969, value: Buffer.from(name).toString('hex') }]
      const [welcome, nobodys] = [randomBytes(32), randomBytes(32)]
      const hash = (preimage: Buffer): string => hashOfPreimage(preimage.toString('hex'))
      world.lnd.keysendFromOutside(nobodys.toString('hex'), 8_000n, named('nobody-here'))
      world.lnd.keysendFromOutside(welcome.toString('hex'), 7_000n, named(payer.username))
      await nowHas(START + 7_000n)
      await expect.poll(() => world.lnd.stateOf(hash(nobodys))).toBe('CANCELED')
      expect(world.lnd.stateOf(hash(welcome))).toBe('SETTLED')
      expect(await houseBalance(db(), 'suspense')).toBe(before)
    })

    test('are refused by the node after the invoice was settled internally', async () => {
      const other = await newUser(vasp, { SAT: 0n })
      const own = await invoiceOf(vasp, other, 'SAT', AMOUNT)
      expect((await payer.pay(own.invoice)).status).toBe(200)
      await expect.poll(() => world.lnd.stateOf(own.paymentHash)).toBe('CANCELED')
      expect(world.lnd.payFromOutside(own.paymentHash, AMOUNT)).toBe(false)
      expect((await walletOf(db(), other, 'SAT')).available).toBe(AMOUNT)
    })

    test('go to suspense when an outside payer was faster than the cancellation', async () => {
      await expect.poll(() => readCursor(vasp.app)).toBe('0')
      const before = await houseBalance(db(), 'suspense')
      const other = await newUser(vasp, { SAT: 0n })
      const own = await invoiceOf(vasp, other, 'SAT', AMOUNT)
      world.lnd.stop()
      expect((await payer.pay(own.invoice)).status).toBe(200)
      world.lnd.begin()
      world.lnd.ready()
      expect(world.lnd.payFromOutside(own.paymentHash, AMOUNT)).toBe(true)
      await expect.poll(async () => (await houseBalance(db(), 'suspense')) - before).toBe(AMOUNT)
      expect((await walletOf(db(), other, 'SAT')).available).toBe(AMOUNT)
    })
  })

  test('Readiness reports the state of the node', async () => {
    const nodeCheck = async (): Promise<unknown> => (await readiness(vasp.app)).checks.node
    expect(await nodeCheck()).toBe('ok')
    world.lnd.stop()
    expect(await nodeCheck()).toBe('away')
    world.lnd.begin()
    expect(await nodeCheck()).toBe('starting')
    world.lnd.ready()
    expect(await nodeCheck()).toBe('ok')
  })
})
