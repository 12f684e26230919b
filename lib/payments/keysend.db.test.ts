import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases'
import { expectSound, newPayer, statesOf, type Payer } from '@/test/leaving'
import { makeScriptedNode, type ScriptedNode } from '@/test/scripted-node'
import { makeTestVasp, type TestVasp } from '@/test/vasp'

const AMOUNT = 50_000
const USERNAME_RECORD = 696_969
const PREIMAGE_RECORD = 5_482_373_484
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
    pubkey: node.publicKeyHex,
    tlv_records: [{ type: USERNAME_RECORD, value: hex(username) }],
    ...more,
  })
  const withKey = async (key: string, body: unknown) => {
    const { settings } = vasp.deps
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
    test('brings its preimage and records, and shows them afterwards', async () => {
      const preimage = randomBytes(32).toString('hex')
      const records = [
        { type: 34_349_334, value: hex('for the song') },
        { type: 70_001, value: '00ff' },
      ]
      const answer = await payer.keysend(away({ preimage, tlv_records: records }))
      expect(answer).toMatchObject({ status: 200, body: { preimage, total_budget_currency_amount: 50 } })
      expect(node.sent[0]).toMatchObject({ paymentHash: hashOf(preimage), keysend: { preimage, records } })
      const { body } = await vasp.get(`/invoices/${hashOf(preimage)}`, payer.token)
      expect(body).toMatchObject({ type: 'outgoing', amount: AMOUNT, preimage, description: 'for the song' })
      expect(body.metadata).toEqual({ destination: node.remoteKey, tlv_records: records })
      await expectSound(db())
    })

    test('F11: repeated by the client is two payments; with one Idempotency-Key, or one preimage, it is one', async () => {
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

    test('N10: the same key or preimage with other parameters is refused, and a failed one may be tried again', async () => {
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

    test('F11: its preimage is stored before anything is sent', async () => {
      node.script = 'in flight'
      const preimage = randomBytes(32).toString('hex')
      expect((await payer.keysend(away({ preimage }))).status).toBe(504)
      const text = 'select state, keysend_preimage, preimage from payments where payment_hash = $1'
      const rows = await db().query({ name: 'test_keysend_row', text }, [hashOf(preimage)])
      expect(rows).toEqual([{ state: 'sending', keysend_preimage: preimage, preimage: null }])
      // It proves nothing before it has arrived, so nobody is told.
      expect((await vasp.get(`/invoices/${hashOf(preimage)}`, payer.token)).body.preimage ?? null).toBeNull()
      await node.end(hashOf(preimage), 'succeeded', 'tells')
      expect(await statesOf(db(), hashOf(preimage))).toEqual(['succeeded'])
    })
  })

  describe('to our own node', () => {
    test('D9: pays the named person at once, and the node is not asked', async () => {
      const payee = await newPayer(vasp, { SAT: 0n })
      const answer = await payer.keysend(inside(payee.username))
      expect(answer).toMatchObject({ status: 200, body: { total_budget_currency_amount: 50 } })
      expect(await payee.balances()).toEqual([50_000n, 0n])
      expect(await payer.balances()).toEqual([950_000n, 0n])
      const hash = hashOf(String(answer.body.preimage))
      expect((await vasp.get(`/invoices/${hash}`, payee.token)).body).toMatchObject({
        type: 'incoming',
        amount: AMOUNT,
      })
      expect(node.sent).toEqual([])
      await expectSound(db())
    })

    test('a hundred copies at once are one payment', async () => {
      const payee = await newPayer(vasp, { SAT: 0n })
      const preimage = randomBytes(32).toString('hex')
      const body = inside(payee.username, { preimage })
      const answers = await Promise.all(Array.from({ length: 100 }, () => payer.keysend(body)))
      expect(new Set(answers.map((each) => `${each.status} ${JSON.stringify(each.body)}`)).size).toBe(1)
      expect(answers[0]?.status).toBe(200)
      expect(await payee.balances()).toEqual([50_000n, 0n])
      await expectSound(db())
    })

    test('E9: to oneself moves nothing between one wallet, and shows both sides', async () => {
      const answer = await payer.keysend(inside(payer.username))
      expect(answer.status).toBe(200)
      expect(await payer.balances()).toEqual([1_000_000n, 0n])
      const { body } = await vasp.get('/transactions', payer.token)
      const seen = (body.transactions as { type: string }[]).map(({ type }) => type).toSorted()
      expect(seen).toEqual(['incoming', 'outgoing'])
      await expectSound(db())
    })

    test.each([
      ['nobody', []],
      ['somebody who is not here', [{ type: USERNAME_RECORD, value: hex('nobody-here') }]],
      ['no name', [{ type: USERNAME_RECORD, value: 'ff00' }]],
    ])('that names %s is refused with 404, and takes nothing', async (_, records) => {
      expect((await payer.keysend(inside('', { tlv_records: records }))).status).toBe(404)
      expect(await payer.balances()).toEqual([1_000_000n, 0n])
    })
  })

  test.each<[string, Record<string, unknown>]>([
    ['a key that is no point of the curve', { pubkey: `02${'f'.repeat(64)}` }],
    ['a key of 32 bytes', { pubkey: 'a'.repeat(64) }],
    ['an uncompressed key', { pubkey: `04${'a'.repeat(128)}` }],
    ['a preimage of 31 bytes', { preimage: 'a'.repeat(62) }],
    ['the preimage’s record with another preimage', { tlv_records: [{ type: PREIMAGE_RECORD, value: '00' }] }],
    ['a record of a type below 65536', { tlv_records: [{ type: 65_535, value: '00' }] }],
    ['2,000 records', { tlv_records: Array.from({ length: 2_000 }, (_, n) => ({ type: 70_000 + n, value: '' })) }],
    ['records of 1,201 bytes', { tlv_records: [{ type: 70_000, value: '00'.repeat(1_201) }] }],
    ['a type twice', { tlv_records: [1, 2].map(() => ({ type: 70_000, value: '00' })) }],
    ['odd hex', { tlv_records: [{ type: 70_000, value: 'abc' }] }],
    ['an amount of 0', { amount: 0 }],
    ['a node that nobody leads to', { pubkey: makeScriptedNode().remoteKey }],
  ])('D9: with %s is refused with 400, and nothing is held or sent', async (_, more) => {
    expect((await payer.keysend(away(more))).status).toBe(400)
    expect(node.sent).toEqual([])
    expect(await payer.balances()).toEqual([1_000_000n, 0n])
  })
})
