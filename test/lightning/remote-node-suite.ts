import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { LndChannel } from '@/lib/lightning/lnd/lnd'
import type { NodeEvent } from '@/lib/lightning/node'
import type { LndWorld } from '../lnd-like/world'
import { again, endOf, hashOf, paymentOf } from './node-under-test'

const UNKNOWN = { kind: 'unknown' }
const moment = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
type Received = Extract<NodeEvent, { kind: 'received' }>

/** The rules of a node in another process: with its own limits, its own restarts, and a stream of events. */
export function describeRemoteNode(name: string, make: () => LndWorld): void {
  describe(name, () => {
    let world: LndWorld
    beforeEach(() => {
      world = make()
    })
    afterEach(() => world.sender().close())

    async function restart(): Promise<void> {
      world.lnd.stop()
      await moment(20)
      world.lnd.begin()
      await moment(20)
      world.lnd.ready()
    }

    it('pays no more than the fee limit', async () => {
      world.lnd.feeMsats = 1_001n
      const dear = await paymentOf(world, { feeLimitMsats: 1_000n })
      expect(await world.sender().send(dear)).toEqual({ kind: 'failed', failure: 'fee-limit' })
      const cheap = { ...again(dear), feeLimitMsats: 1_001n }
      expect(await world.sender().send(cheap)).toMatchObject({ kind: 'succeeded', feeMsats: 1_001n })
    })

    it("reports that its own channels are too small as a fault of the node, not of the user's wallet", async () => {
      world.lnd.capacityMsats = 1n
      expect(await world.sender().send(await paymentOf(world))).toEqual({ kind: 'failed', failure: 'no-liquidity' })
    })

    it('answers in time while a payment is held, and reports its outcome by an event', async () => {
      const heard: NodeEvent[] = []
      world.sender().listen(async (event) => void heard.push(event))
      world.journey('is held')
      const asked = await paymentOf(world)
      expect(await world.sender().send(asked)).toEqual(UNKNOWN)
      expect(await world.sender().track(asked)).toEqual(UNKNOWN)
      world.lnd.release(asked.paymentHash)
      const end = { kind: 'sent', sendId: asked.sendId, outcome: expect.objectContaining({ kind: 'succeeded' }) }
      await expect.poll(() => heard).toContainEqual(end)
    })

    it('is away, then starting, then ready; a restart during a send fails no payment that may arrive', async () => {
      const node = world.sender()
      world.journey('is held')
      const asked = await paymentOf(world)
      const sending = node.send(asked)
      await expect.poll(() => world.lnd.isHeld(asked.paymentHash), { interval: 5 }).toBe(true)
      world.lnd.stop()
      expect(await sending).toEqual(UNKNOWN)
      expect([await node.state(), await node.track(asked)]).toEqual(['away', UNKNOWN])
      world.lnd.begin()
      expect([await node.state(), await node.track(asked)]).toEqual(['starting', UNKNOWN])
      world.lnd.ready()
      expect([await node.state(), await node.track(asked)]).toEqual(['ready', UNKNOWN])
      world.lnd.release(asked.paymentHash)
      expect(await endOf(world, asked)).toMatchObject({ kind: 'succeeded' })
    })

    it('sends nothing while it is away or starting, and fails the payment for good', async () => {
      const asked = await paymentOf(world)
      world.lnd.stop()
      const failed = { kind: 'failed', failure: 'never-sent' }
      expect(await world.sender().send(asked)).toEqual(failed)
      world.lnd.begin()
      const other = again(asked)
      expect(await world.sender().send(other)).toEqual(failed)
      world.lnd.ready()
      expect([await world.sender().track(asked), await world.sender().send(other)]).toEqual([failed, failed])
      expect(await world.sender().send(again(asked))).toMatchObject({ kind: 'succeeded' })
    })

    it('sends nothing that another process gave up while this one was paused right before the call', async () => {
      let goOn = (): void => {}
      const stoodStill = new Promise<void>((resolve) => (goOn = resolve))
      let isPaused = false
      const post: typeof world.sends.post = async (sendId) => {
        isPaused = true
        await stoodStill
        return world.sends.post(sendId)
      }
      const slow = world.open({ sends: { ...world.sends, post } })
      const asked = await paymentOf(world)
      const sending = slow.send(asked)
      await expect.poll(() => isPaused).toBe(true)
      const failed = { kind: 'failed', failure: 'never-sent' }
      expect(await world.sender().track(asked)).toEqual(failed)
      goOn()
      expect([await sending, world.lnd.arrivals(asked.paymentHash)]).toEqual([failed, 0])
    })

    it('does not find a send whose call never arrived, and names itself as the source', async () => {
      world.lnd.lostCalls = 1
      const asked = await paymentOf(world)
      expect(await world.sender().send(asked)).toEqual(UNKNOWN)
      const notFound = { kind: 'not-found', saidBy: world.sender().identity.publicKeyHex }
      expect(await world.sender().track(asked)).toEqual(notFound)
      await world.restartSender()
      expect([await world.sender().track(asked), await world.sender().send(asked)]).toEqual([notFound, UNKNOWN])
      // The ledger has given up the send. Once the next send begins, the old one can no longer succeed.
      const second = again(asked)
      expect(await world.sender().send(second)).toMatchObject({ kind: 'succeeded' })
      expect(await world.sender().track(asked)).toEqual({ kind: 'failed', failure: 'never-sent' })
    })

    it('does not accept the preimage of another hash as a success', async () => {
      world.lnd.lies = true
      const asked = await paymentOf(world)
      expect(await world.sender().send(asked)).toEqual(UNKNOWN)
      expect(await world.sender().track(asked)).toEqual(UNKNOWN)
    })

    it('reports that an invoice was paid by another node before it was cancelled', async () => {
      const own = await world.ownInvoice(8_000n)
      expect(await world.payFromOutside(own, 8_000n)).toBe(true)
      expect(await world.receiver().cancelInvoice?.(own.paymentHash)).toBe('settled')
      world.lnd.stop()
      await expect(world.receiver().cancelInvoice?.(own.paymentHash)).rejects.toThrow()
    })

    it('reports keysends with preimage and records', async () => {
      const heard: NodeEvent[] = []
      world.receiver().listen(async (event) => void heard.push(event), '0')
      const preimage = randomBytes(32).toString('hex')
      const records = [{ type: 696_969, value: '616c696365' }]
      world.lnd.keysendFromOutside(preimage, 9_000n, records)
      const common = { kind: 'received', paymentHash: hashOf(preimage), amountMsats: 9_000n, cursor: '1' }
      const account = world.receiver().identity.publicKeyHex
      await expect.poll(() => heard).toEqual([{ ...common, account, keysend: { preimage, records } }])
    })

    it('settles a held keysend that can be credited, and returns any other to its payer at once', async () => {
      world.lnd.holdsKeysends = true
      const planned: bigint[] = []
      const node = world.open({
        creditPlanner: {
          planCredit: async ({ amountMsats, keysend }) => {
            planned.push(amountMsats)
            if (keysend?.records.length === 0) return { failure: 'unknown' }
            return { username: 'a', walletId: 1n, credited: 1n, lines: [], description: null, metadata: null }
          },
        },
      })
      const heard: NodeEvent[] = []
      node.listen(async (event) => void heard.push(event), '0')
      const [welcome, nobodys] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')]
      await expect.poll(() => world.lnd.isFollowed()).toBe(true)
      world.lnd.keysendFromOutside(nobodys, 4_000n, [])
      world.lnd.keysendFromOutside(welcome, 5_000n, [{ type: 696_969, value: '616c696365' }])
      await expect.poll(() => world.lnd.stateOf(hashOf(nobodys))).toBe('CANCELED')
      await expect.poll(() => world.lnd.stateOf(hashOf(welcome))).toBe('SETTLED')
      await expect.poll(() => heard).toMatchObject([{ paymentHash: hashOf(welcome), amountMsats: 5_000n, cursor: '1' }])
      expect(new Set(planned)).toEqual(new Set([4_000n, 5_000n]))
      await node.close()
    })

    it('decides about a keysend that was held while nobody listened', async () => {
      world.lnd.holdsKeysends = true
      const preimage = randomBytes(32).toString('hex')
      world.lnd.keysendFromOutside(preimage, 4_000n, [])
      expect(world.lnd.stateOf(hashOf(preimage))).toBe('ACCEPTED')
      world.receiver().listen(async () => {}, '0')
      await expect.poll(() => world.lnd.stateOf(hashOf(preimage))).toBe('CANCELED')
    })

    it('finds a send that a restored database does not have, unless another send has its payment', async () => {
      const asked = await paymentOf(world)
      const outcome = await world.sender().send(asked)
      const after = world.open({ sends: await world.withoutSends() })
      expect(await after.track(again(asked))).toEqual(outcome)
      expect(await after.track(again(asked))).toEqual({ kind: 'failed', failure: 'never-sent' })
      await after.close()
    })

    it('reports channels and liquidity', async () => {
      const none = { id: '1', outgoing: [], incoming: [] }
      world.lnd.channels = [
        { ...none, isActive: true, outboundSats: 40_000, inboundSats: 3_000, outgoing: ['a', 'b'] },
        { ...none, isActive: true, outboundSats: 2_000, inboundSats: 0, outgoing: ['a'], incoming: ['b'] },
        { ...none, isActive: false, outboundSats: 9_000, inboundSats: 9_000 },
      ]
      expect(await world.sender().report?.()).toEqual({
        isSynced: true,
        activeChannels: 2,
        inactiveChannels: 1,
        outboundSats: 42_000,
        inboundSats: 3_000,
        paymentsInFlight: 1,
      })
      world.lnd.stop()
      await expect(world.sender().report?.()).rejects.toThrow()
    })

    it('says that a payment is stranded only when an active channel has let it go', async () => {
      const [channel] = world.lnd.channels
      if (channel === undefined) throw new Error('the node has no channel')
      const nobody = await paymentOf(world)
      const strandedWith = async (over: Partial<LndChannel>, begunAtSeconds = 0): Promise<boolean | undefined> => {
        world.lnd.begunAtSeconds = begunAtSeconds
        world.lnd.fate = 'is held'
        const asked = await paymentOf(world)
        void world.sender().send(asked)
        await expect.poll(() => world.lnd.isHeld(asked.paymentHash)).toBe(true)
        const outgoing = over.outgoing && [asked.paymentHash]
        world.lnd.channels = [{ ...channel, ...over, ...(outgoing && { outgoing }) }]
        return world.sender().isStranded?.(asked)
      }
      expect(await strandedWith({})).toBe(true)
      expect(await strandedWith({}, Date.now() / 1_000 - 200)).toBe(false)
      expect(await strandedWith({ outgoing: [] })).toBe(false)
      expect(await strandedWith({ isActive: false })).toBe(false)
      expect(await strandedWith({ id: '2' })).toBe(false)
      expect(await world.sender().isStranded?.(nobody)).toBe(false)
      world.lnd.stop()
      await expect(world.sender().isStranded?.(nobody)).rejects.toThrow()
    })

    it('keeps a send whose payment LND had begun and has lost, and says that it is stranded', async () => {
      world.lnd.fate = 'is held'
      const asked = await paymentOf(world)
      void world.sender().send(asked)
      await expect.poll(() => world.lnd.isHeld(asked.paymentHash)).toBe(true)
      await restart()
      expect(await world.sender().track(asked)).toEqual(UNKNOWN)
      world.lnd.forget(asked.paymentHash)
      expect(await world.sender().track(asked)).toEqual(UNKNOWN)
      expect(await world.sender().isStranded?.(asked)).toBe(true)
    })

    it('reports payments that settled together although the stream left one out', async () => {
      const heard: string[] = []
      const listener = async (event: NodeEvent): Promise<void> =>
        void (event.kind === 'received' && heard.push(event.paymentHash))
      const paid: string[] = []
      const pay = async (): Promise<void> => {
        const own = await world.ownInvoice(1_000n)
        paid.push(own.paymentHash)
        await world.payFromOutside(own, 1_000n)
      }
      for (let count = 0; count < 3; count++) await pay()
      world.receiver().listen(listener, '2')
      await expect.poll(() => heard).toEqual(paid.slice(2))
      world.lnd.unreported = 1
      await pay()
      await pay()
      await expect.poll(() => heard).toEqual(paid.slice(2))
    })

    it('continues with an LND that has lost its invoices', async () => {
      const heard: NodeEvent[] = []
      world.receiver().listen(async (event) => void heard.push(event), '5')
      await expect.poll(() => heard).toEqual([{ kind: 'position', cursor: '0' }])
      const own = await world.ownInvoice(1_000n)
      await world.payFromOutside(own, 1_000n)
      await expect.poll(() => heard.at(-1)).toMatchObject({ paymentHash: own.paymentHash, cursor: '1' })
    })

    it('reports one payment at a time, in order, each until it is booked, and continues from the cursor after restarts', async () => {
      const booked: Received[] = []
      let [running, most, rejections] = [0, 0, 3]
      const listener = async (event: NodeEvent): Promise<void> => {
        if (event.kind !== 'received') return
        most = Math.max(most, (running += 1))
        await moment(3)
        running -= 1
        if (rejections-- > 0) throw new Error('the database is away')
        booked.push(event)
      }
      const paid: string[] = []
      const pay = async (): Promise<void> => {
        const own = await world.ownInvoice(1_000n)
        await world.payFromOutside(own, 1_000n)
        paid.push(own.paymentHash)
      }
      const stop = world.receiver().listen(listener, '0')
      for (let count = 0; count < 5; count++) await pay()
      await expect.poll(() => booked.map(({ paymentHash }) => paymentHash)).toEqual(paid)
      // The node restarts: its streams end, and no event is lost or out of order.
      await restart()
      await pay()
      await expect.poll(() => booked.map(({ paymentHash }) => paymentHash)).toEqual(paid)
      // The VASP is down at that time.
      stop()
      for (let count = 0; count < 3; count++) await pay()
      await world.restartSender()
      world.receiver().listen(listener, booked.at(-1)?.cursor)
      await expect.poll(() => booked.map(({ paymentHash }) => paymentHash)).toEqual(paid)
      expect(most).toBe(1)
    })

    it('tells a first listener its position, so that no event between two starts is missed', async () => {
      await world.payFromOutside(await world.ownInvoice(1_000n), 1_000n)
      const heard: NodeEvent[] = []
      const stop = world.receiver().listen(async (event) => void heard.push(event))
      await expect.poll(() => heard).toEqual([{ kind: 'position', cursor: '1' }])
      stop()
      const own = await world.ownInvoice(2_000n)
      await world.payFromOutside(own, 2_000n)
      world.receiver().listen(async (event) => void heard.push(event), '1')
      await expect
        .poll(() => heard.at(-1))
        .toMatchObject({ kind: 'received', paymentHash: own.paymentHash, cursor: '2' })
    })
  })
}
