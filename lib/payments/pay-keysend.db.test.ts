import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { keysendIn } from '@/test/lightning/outgoing'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { expectSound, impatient, newPayer, statesOf, untilUnknown, type Payer } from '@/test/vasp/leaving'
import { makeTestVasp, onDatabase, type TestVasp } from '@/test/vasp/vasp'
import type { Database } from '../platform/db/database'

const AMOUNT = 50_000
const USERNAME_RECORD = 696_969
const hex = (text: string): string => Buffer.from(text).toString('hex')
const hashOf = (preimage: string): string => createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')

describeOnBothEngines('A keysend', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: Payer

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.sent.length = 0
    payer = await newPayer(vasp, { SAT: 1_000_000n })
  })

  const away = (more: Record<string, unknown> = {}) => ({ amount: AMOUNT, pubkey: node.remoteKey, ...more })
  const inside = (username: string, more: Record<string, unknown> = {}) => ({
    amount: AMOUNT,
    pubkey: node.identity.publicKeyHex,
    tlv_records: [{ type: USERNAME_RECORD, value: hex(username) }],
    ...more,
  })
  const withKey = async (key: string, body: unknown) => {
    const { settings } = vasp.app
    const answer = await vasp.api(
      new Request(`${settings.publicOrigin}${settings.apiBasePath}/payments/keysend`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${payer.token}`, 'Idempotency-Key': key },
        body: JSON.stringify(body),
      }),
    )
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }

  describe('to another node', () => {
    test('sent twice is two payments; with one Idempotency-Key or one preimage it is one', async () => {
      const [first, second] = [await payer.keysend(away()), await payer.keysend(away())]
      expect([first.status, second.status]).toEqual([200, 200])
      expect(first.body.preimage).not.toBe(second.body.preimage)
      expect(node.sent).toHaveLength(2)
      expect((await withKey('a blank', away())).status).toBe(400)
      const again = await Promise.all(Array.from({ length: 10 }, () => withKey('one-key', away())))
      expect(new Set(again.map(({ status, body }) => `${status} ${String(body.preimage)}`)).size).toBe(1)
      expect(again[0]?.status).toBe(200)
      const preimage = randomBytes(32).toString('hex')
      const copies = await Promise.all(Array.from({ length: 10 }, () => payer.keysend(away({ preimage }))))
      expect(new Set(copies.map(({ status }) => status))).toEqual(new Set([200]))
      expect(node.sent).toHaveLength(4)
      expect(await payer.balances()).toEqual([1_000_000n - 200_000n, 0n])
      await expectSound(db())
    })

    test('with the same key from two apps of one user is two payments', async () => {
      const { username } = payer
      const apps = await Promise.all([1, 2].map(() => vasp.connectionToken(username, ['pay_keysend'])))
      const askedBy = (token = '') => vasp.post('/payments/keysend', token, away(), { 'Idempotency-Key': 'order-1' })
      const all = await Promise.all([...apps, ...apps].map((token) => askedBy(token)))
      expect(all.map(({ status }) => status)).toEqual([200, 200, 200, 200])
      const [first, second, firstAgain, secondAgain] = all.map(({ body }) => body.preimage)
      expect([firstAgain, secondAgain]).toEqual([first, second])
      expect(first).not.toBe(second)
      expect(node.sent).toHaveLength(2)
      // The same holds for a keysend to our own node.
      const payee = await newPayer(vasp, { SAT: 0n })
      const own = await Promise.all(
        [...apps, ...apps].map((token) =>
          vasp.post('/payments/keysend', token, inside(payee.username), { 'Idempotency-Key': 'order-2' }),
        ),
      )
      expect(new Set(own.map(({ status }) => status))).toEqual(new Set([200]))
      expect(await payee.balances()).toEqual([100_000n, 0n])
      await expectSound(db())
    })

    test('ignores the letter case of its records, and sends and shows them in lower case', async () => {
      const preimage = randomBytes(32).toString('hex')
      const records = (value: string) => [{ type: 70_000, value }]
      const first = await payer.keysend(away({ preimage, tlv_records: records('ABCDEF01') }))
      expect(first.status).toBe(200)
      expect(node.sent[0] && keysendIn(node.sent[0])?.records).toEqual(records('abcdef01'))
      const again = await payer.keysend(away({ preimage: preimage.toUpperCase(), tlv_records: records('abCDef01') }))
      expect([again.status, again.body]).toEqual([200, first.body])
      expect(node.sent).toHaveLength(1)
      const { body } = await vasp.get(`/invoices/${hashOf(preimage)}`, payer.token)
      expect(JSON.stringify(body.metadata)).toContain('abcdef01')
    })

    test('is refused with a used key or preimage but different parameters, and may be retried after a failure', async () => {
      node.script = 'fails'
      expect((await withKey('again', away())).status).toBe(400)
      node.script = 'arrives'
      const done = await withKey('again', away())
      expect(done.status).toBe(200)
      const preimage = String(done.body.preimage)
      expect(await withKey('again', away({ amount: 60_000 }))).toMatchObject({ status: 400, body: { code: 'OTHER' } })
      expect((await withKey('again', away({ tlv_records: [{ type: 70_000, value: '00' }] }))).status).toBe(400)
      expect((await withKey('again', away({ preimage: randomBytes(32).toString('hex') }))).status).toBe(400)
      expect((await payer.keysend(away({ preimage, amount: 60_000 }))).status).toBe(400)
      const stranger = await newPayer(vasp, { SAT: 1_000_000n })
      const theirs = await stranger.keysend(away({ preimage }))
      expect(theirs).toMatchObject({ status: 400, body: { code: 'OTHER' } })
      expect(node.sent).toHaveLength(2)
    })

    test('stores its preimage before it is sent', async () => {
      node.script = 'in flight'
      const preimage = randomBytes(32).toString('hex')
      expect((await payer.keysend(away({ preimage }), impatient(vasp))).status).toBe(504)
      await untilUnknown(db(), hashOf(preimage))
      const text = 'select state, keysend_preimage, preimage from payments where payment_hash = $1'
      const rows = await db().query({ name: 'test_keysend_row', text }, [hashOf(preimage)])
      expect(rows).toEqual([{ state: 'sending', keysend_preimage: preimage, preimage: null }])
      // The preimage proves nothing before the payment arrives, so no client receives it.
      expect((await vasp.get(`/invoices/${hashOf(preimage)}`, payer.token)).body.preimage ?? null).toBeNull()
      await node.end(hashOf(preimage), 'succeeded', 'tells')
      expect(await statesOf(db(), hashOf(preimage))).toEqual(['succeeded'])
    })
  })

  describe('to our own node', () => {
    test('is refused below one satoshi, because it could fill any user’s history at no cost', async () => {
      const payee = await newPayer(vasp, { SAT: 0n })
      const refused = await payer.keysend(inside(payee.username, { amount: 999 }))
      expect(refused).toMatchObject({ status: 400, body: { code: 'OTHER' } })
      expect((await payer.keysend(inside(payee.username, { amount: 1_000 }))).status).toBe(200)
      expect(await payee.balances()).toEqual([1_000n, 0n])
    })

    test('is refused and moves nothing when another payment takes its hash at the same moment', async () => {
      const payee = await newPayer(vasp, { SAT: 0n })
      const other = await newPayer(vasp, { SAT: 1_000_000n })
      const preimage = randomBytes(32).toString('hex')
      // The other payment commits its hold after this one has looked the hash up, as can happen on a PostgreSQL server.
      const raced: Database = {
        ...db(),
        async query(statement, params) {
          if (statement.name !== 'settle_internal_keysend') return db().query(statement, params)
          node.script = 'in flight'
          expect((await other.keysend(away({ preimage }), impatient(vasp))).status).toBe(504)
          throw Object.assign(new Error('the hash was used'), { code: 'PY008', severity: 'ERROR' })
        },
      }
      const refused = await payer.keysend(inside(payee.username, { preimage }), onDatabase(vasp, raced))
      expect(refused).toMatchObject({ status: 400, body: { code: 'OTHER' } })
      expect([await payer.balances(), await payee.balances()]).toEqual([
        [1_000_000n, 0n],
        [0n, 0n],
      ])
      await expectSound(db())
    })
  })
})
