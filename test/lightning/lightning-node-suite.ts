import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { decodeInvoice } from '@/lib/lightning/bolt11'
import { invoicePrefixOf } from '@/lib/lightning/networks'
import type { NodeEvent } from '@/lib/lightning/node'
import { again, endOf, hashOf, keysendOf, paymentOf, type NodeUnderTest } from './node-under-test'

const SUCCEEDED = { kind: 'succeeded', preimage: expect.stringMatching(/^[0-9a-f]{64}$/), feeMsats: 0n }
const AMOUNT = 25_000n
const FAILED = { kind: 'failed' }
const NEVER_SENT = { kind: 'failed', failure: 'never-sent' }

/** The rules of `LightningNode`, for every implementation. */
export function describeLightningNode(name: string, make: () => Promise<NodeUnderTest>): void {
  describe(name, () => {
    let world: NodeUnderTest
    beforeAll(async () => {
      world = await make()
    })
    afterEach(() => world.journey('arrives'))
    afterAll(() => world.sender().close())

    describe('identity', () => {
      it('is one key, and every invoice is signed by it, for its network and with the given preimage', async () => {
        const { identity } = world.sender()
        expect(identity.publicKeyHex).toMatch(/^0[23][0-9a-f]{64}$/)
        const preimageHex = randomBytes(32).toString('hex')
        const before = Math.floor(Date.now() / 1000)
        const terms = { preimageHex, amountMsats: 7_000n, expirySeconds: 600, purpose: { description: 'tea' } }
        const signed = await world.sender().signInvoice(terms)
        expect(signed.invoice.startsWith(invoicePrefixOf(identity.network))).toBe(true)
        expect(signed.paymentHash).toBe(hashOf(preimageHex))
        expect(signed.createdAtSeconds).toBeGreaterThanOrEqual(before - 1)
        expect(signed.expiresAtSeconds).toBe(signed.createdAtSeconds + 600)
      })

      it('is ready, and finds a route to the remote node and none to an unknown node', async () => {
        const node = world.sender()
        expect(await node.state()).toBe('ready')
        expect(await node.mayReach(world.remoteKey, AMOUNT)).toEqual({ feeMsats: 0n })
        expect(await node.mayReach(`02${'ab'.repeat(32)}`, AMOUNT)).toBeUndefined()
        expect(node.accounts).toContain(node.accountFor(world.remoteKey))
      })
    })

    describe('a send', () => {
      it('pays an invoice: the preimage matches its hash, and track returns the same outcome', async () => {
        const asked = await paymentOf(world)
        const outcome = await world.sender().send(asked)
        expect(outcome).toEqual(SUCCEEDED)
        expect(outcome.kind === 'succeeded' && hashOf(outcome.preimage)).toBe(asked.paymentHash)
        expect(await world.sender().track(asked)).toEqual(outcome)
        expect(await world.arrivals(asked.paymentHash)).toBe(1)
      })

      it('pays any amount to an invoice without an amount', async () => {
        const asked = await paymentOf(world, { amountMsats: 1_234n }, 'any')
        expect(await world.sender().send(asked)).toEqual(SUCCEEDED)
      })

      it('pays a keysend with the given preimage', async () => {
        const asked = await keysendOf(world)
        expect(await world.sender().send(asked)).toEqual({ ...SUCCEEDED, preimage: asked.preimage })
        expect(await world.arrivals(asked.paymentHash)).toBe(1)
      })

      it('pays once for one id, called in sequence, concurrently and after a restart', async () => {
        const asked = await paymentOf(world)
        const first = await world.sender().send(asked)
        expect(await world.sender().send(asked)).toEqual(first)
        await world.restartSender()
        expect(await world.sender().send(asked)).toEqual(first)
        const together = await paymentOf(world)
        const outcomes = await Promise.all(Array.from({ length: 5 }, () => world.sender().send(together)))
        expect(outcomes.filter(({ kind }) => kind === 'failed')).toEqual([])
        expect(await endOf(world, together)).toEqual(SUCCEEDED)
        expect(await world.arrivals(together.paymentHash)).toBe(1)
      })

      it('never uses one id for two payments', async () => {
        const [one, two] = [await paymentOf(world), await paymentOf(world)]
        await world.sender().send(one)
        expect(await world.sender().send({ ...two, sendId: one.sendId })).toEqual({ kind: 'unknown' })
        expect(await world.sender().track({ ...two, sendId: one.sendId })).toEqual({ kind: 'unknown' })
        expect(await world.arrivals(two.paymentHash)).toBe(0)
      })

      it('that failed stays failed, and a new id of the same hash is paid', async () => {
        const asked = await paymentOf(world)
        await world.journey('is refused')
        const outcome = await world.sender().send(asked)
        expect(outcome).toMatchObject(FAILED)
        await world.journey('arrives')
        expect(await world.sender().send(asked)).toEqual(outcome)
        expect(await world.arrivals(asked.paymentHash)).toBe(0)
        const second = again(asked)
        expect(await world.sender().send(second)).toEqual(SUCCEEDED)
        expect(await world.arrivals(asked.paymentHash)).toBe(1)
        // The success belongs to the second send. Booked for the first, the user would be debited twice.
        expect(await world.sender().track(asked)).toEqual(outcome)
        await world.restartSender()
        expect(await world.sender().track(asked)).toEqual(outcome)
        expect(await world.sender().track(second)).toEqual(SUCCEEDED)
      })

      it('in progress keeps its own outcome while another id of the hash is tried', async () => {
        const asked = await paymentOf(world)
        await world.journey('is held')
        expect(await world.sender().send(asked)).toEqual({ kind: 'unknown' })
        const second = again(asked)
        await world.journey('arrives')
        const refused = await world.sender().send(second)
        await world.release(asked.paymentHash)
        const outcomes = [await endOf(world, asked), refused.kind === 'unknown' ? await endOf(world, second) : refused]
        expect(outcomes.filter(({ kind }) => kind === 'succeeded')).toHaveLength(
          await world.arrivals(asked.paymentHash),
        )
        expect(outcomes.filter(({ kind }) => kind === 'succeeded').length).toBeLessThanOrEqual(1)
      })

      it('that failed before it was sent does not take the success of a later id', async () => {
        const asked = await paymentOf(world)
        await world.journey('fails without an answer')
        expect(await world.sender().send(asked)).toEqual({ kind: 'unknown' })
        await world.journey('arrives')
        const second = again(asked)
        expect(await world.sender().send(second)).toEqual(SUCCEEDED)
        expect(await endOf(world, asked)).toMatchObject(FAILED)
        await world.restartSender()
        expect(await world.sender().track(asked)).toMatchObject(FAILED)
        expect(await world.sender().track(second)).toEqual(SUCCEEDED)
      })

      it('of a hash that another id has paid is refused, and never reports that success as its own', async () => {
        const asked = await paymentOf(world)
        await world.sender().send(asked)
        const second = again(asked)
        expect(await world.sender().send(second)).toEqual({ kind: 'failed', failure: 'paid' })
        await world.restartSender()
        expect(await world.sender().track(second)).toEqual({ kind: 'failed', failure: 'paid' })
        expect(await world.arrivals(asked.paymentHash)).toBe(1)
      })

      it('whose answer is lost is unknown, and track finds its success, after a restart too', async () => {
        for (const restarts of [false, true]) {
          const asked = await paymentOf(world)
          await world.journey('loses its answer')
          expect(await world.sender().send(asked)).toEqual({ kind: 'unknown' })
          await world.journey('arrives')
          if (restarts) await world.restartSender()
          expect(await endOf(world, asked)).toEqual(SUCCEEDED)
          expect(await world.sender().send(asked)).toEqual(SUCCEEDED)
          expect(await world.arrivals(asked.paymentHash)).toBe(1)
        }
      })

      it('in progress at a restart gets its real outcome', async () => {
        const asked = await paymentOf(world)
        await world.journey('is held')
        const sending = world.sender().send(asked)
        await expect.poll(() => world.isHeld(asked.paymentHash)).toBe(true)
        await world.restartSender()
        const tracked = await world.sender().track(asked)
        await world.release(asked.paymentHash)
        await sending
        const outcome = await endOf(world, asked)
        if (tracked.kind === 'succeeded' || tracked.kind === 'failed') expect(outcome).toEqual(tracked)
        expect(await world.arrivals(asked.paymentHash)).toBe(outcome.kind === 'succeeded' ? 1 : 0)
      })

      it('that was tracked before it began is refused for good', async () => {
        const asked = await paymentOf(world)
        expect(await world.sender().track(asked)).toEqual(NEVER_SENT)
        expect(await world.sender().send(asked)).toEqual(NEVER_SENT)
        await world.restartSender()
        expect(await world.sender().send(asked)).toEqual(NEVER_SENT)
        expect(await world.arrivals(asked.paymentHash)).toBe(0)
        expect(await world.sender().send(again(asked))).toEqual(SUCCEEDED)
      })

      it('of an expired invoice fails', async () => {
        const { invoice, paymentHash } = await world.invoice(AMOUNT, 1)
        const decoded = decodeInvoice(invoice, world.sender().identity.network)
        const endsAtMs = decoded.ok ? decoded.invoice.expiresAtSeconds * 1_000 : expect.fail('an unreadable invoice')
        await expect.poll(() => Date.now()).toBeGreaterThanOrEqual(endsAtMs)
        const asked = { ...(await paymentOf(world)), paymentHash, what: { kind: 'invoice', invoice } as const }
        expect(await world.sender().send(asked)).toEqual({ kind: 'failed', failure: 'expired' })
      })

      it("fails when its amount differs from the invoice's, and has no route to an unknown node", async () => {
        const asked = await paymentOf(world, { amountMsats: AMOUNT - 1n })
        expect(await world.sender().send(asked)).toEqual({ kind: 'failed', failure: 'amount' })
        const stranger = await keysendOf(world, { payee: `02${'ab'.repeat(32)}` })
        expect(await world.sender().send(stranger)).toEqual({ kind: 'failed', failure: 'no-route' })
      })
    })

    describe('events', () => {
      it('report a success to every listener, again when a listener rejects, and no more after the listener has stopped', async () => {
        const heard: NodeEvent[] = []
        let rejections = 1
        const listener = async (event: NodeEvent): Promise<void> => {
          if (event.kind === 'sent' && rejections-- > 0) throw new Error('the database is away')
          heard.push(event)
        }
        const stop = world.sender().listen(listener)
        const asked = await paymentOf(world)
        const outcome = await world.sender().send(asked)
        await expect
          .poll(() => heard.filter(({ kind }) => kind === 'sent'))
          .toContainEqual({ kind: 'sent', sendId: asked.sendId, outcome })
        stop()
        const count = heard.length
        const next = await paymentOf(world)
        const others: NodeEvent[] = []
        world.sender().listen(async (event) => void others.push(event))
        await world.sender().send(next)
        await expect.poll(() => others).toContainEqual(expect.objectContaining({ sendId: next.sendId }))
        expect(heard).toHaveLength(count)
      })

      it('report an incoming payment, again when the listener rejects', async () => {
        const heard: NodeEvent[] = []
        let rejections = 2
        const stop = world.receiver().listen(async (event) => {
          if (event.kind === 'received' && rejections-- > 0) throw new Error('the database is away')
          heard.push(event)
        })
        const own = await world.ownInvoice(7_000n)
        expect(await world.payFromOutside(own, 7_000n)).toBe(true)
        await expect
          .poll(() => heard)
          .toContainEqual(
            expect.objectContaining({ kind: 'received', paymentHash: own.paymentHash, amountMsats: 7_000n }),
          )
        const event = heard.find(({ kind }) => kind === 'received')
        if (event?.kind === 'received' && event.account !== undefined)
          expect(world.receiver().accounts).toContain(event.account)
        stop()
      })
    })

    it('cancels an invoice that was settled inside the VASP, so that no other node can pay it', async () => {
      const own = await world.ownInvoice(8_000n)
      await world.settleInside(own.paymentHash)
      const { cancelInvoice } = world.receiver()
      for (const _ of [1, 2]) expect((await cancelInvoice?.(own.paymentHash)) ?? 'cancelled').toBe('cancelled')
      expect(await world.payFromOutside(own, 8_000n)).toBe(false)
    })
  })
}
