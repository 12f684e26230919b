import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { NewEvent } from '@/lib/events/types'
import { describeOnTwoDatabases } from '@/test/databases/databases'
import { startTwoVasps, type ServedVasp, type TwoVasps } from '@/test/uma/two-vasps'
import { newUser } from '@/test/vasp/money'

describeOnTwoDatabases('The owner of a message', (northDb, southDb) => {
  let both: TwoVasps
  let north: ServedVasp
  let south: ServedVasp
  let alice: string
  let bob: string
  beforeAll(async () => {
    both = await startTwoVasps(northDb(), southDb())
    ;({ north, south } = both)
    alice = await newUser(north, { SAT: 10_000_000n })
    bob = await newUser(south, { SAT: 0n })
  })
  beforeEach(() => [north, south].forEach(({ recorded }) => recorded.splice(0)))
  afterAll(() => both.stop())

  const messages = ({ recorded }: ServedVasp): NewEvent[] =>
    recorded.filter(({ kind }) => kind === 'uma_message' || kind === 'lightning_message')
  const ownedBy = (vasp: ServedVasp, owner: string | undefined): string[] =>
    messages(vasp).flatMap(({ name, userId }) => (userId === owner ? [name] : []))
  /** Pays Bob from Alice's wallet, and returns the payment hash. */
  const pay = async (receiverAddress: string): Promise<string> => {
    const token = await north.connectionToken(alice, ['pay_to_address'])
    const { status, body } = await north.post('/payments/lud16', token, {
      receiver_address: receiverAddress,
      sending_currency_code: 'SAT',
      sending_currency_amount: 500,
    })
    expect([status, body]).toMatchObject([200, { preimage: expect.any(String) as string }])
    return (body.quote as { payment_hash: string }).payment_hash
  }

  test('of a UMA payment is the payer at one VASP and the payee at the other, in each direction', async () => {
    const paymentHash = await pay(`$${bob}@${south.domain}`)
    for (const { app } of [north, south, north, south]) await app.uma?.callbacks.round()
    expect(ownedBy(north, alice)).toEqual([
      'address lookup sent',
      'UMA message sent',
      'payment given to the node',
      'UMA message sent',
      'UMA callback received',
    ])
    expect(ownedBy(south, bob)).toEqual([
      'pay request received',
      'peer message received: pay',
      'UMA callback received',
      'UMA message sent',
    ])
    const paid = south.recorded.filter(({ kind }) => kind === 'invoice').map(({ name, userId }) => [name, userId])
    expect(paid).toContainEqual(['invoice paid', bob])
    const named = (vasp: ServedVasp): (string | undefined)[] =>
      messages(vasp).flatMap(({ name, paymentHash: hash }) => (typeof hash === 'string' ? [name, hash] : []))
    expect(new Set(named(north))).toEqual(
      new Set([paymentHash, 'payment given to the node', 'UMA message sent', 'UMA callback received']),
    )
    expect(named(south)).toContain(paymentHash)
  })

  test('of a plain pay request is the payee, once the request has created an invoice', async () => {
    await pay(`${bob}@${south.domain}`)
    expect(ownedBy(north, alice)).toEqual(['address lookup sent', 'LNURL request sent', 'payment given to the node'])
    expect(ownedBy(south, bob)).toEqual(['pay request received', 'peer message received: pay'])
  })

  test('is no one for lookups, keys, unknown receivers and refused requests', async () => {
    const get = (path: string): Promise<Response> => fetch(`${south.origin}${path}`)
    expect((await get(`/.well-known/lnurlp/${bob}`)).status).toBe(200)
    expect((await get('/.well-known/lnurlp/nobody')).status).toBe(404)
    expect((await get(`/uma/pay/${bob}?amount=1`)).status).toBe(400)
    expect((await get('/uma/pay/nobody?amount=10000')).status).toBe(404)
    expect((await get('/.well-known/lnurlpubkey')).status).toBe(200)
    expect((await fetch(`${south.origin}/sandbox-ln/v1/pay`, { method: 'POST', body: '{}' })).status).toBe(401)
    expect(messages(south)).toHaveLength(6)
    expect(messages(south).every(({ userId }) => userId === undefined)).toBe(true)
  })

  test('of a failed payment is the payer, and the event has the node’s reason', async () => {
    const token = await north.connectionToken(alice, ['pay_keysend'])
    const pubkey = south.app.node.identity.publicKeyHex
    expect((await north.post('/payments/keysend', token, { amount: 5_000, pubkey })).status).toBe(400)
    const [sent] = messages(north)
    expect(sent).toMatchObject({ name: 'payment given to the node', userId: alice, summary: 'not paid' })
    expect(sent?.failedCheck).toBeDefined()
    expect(ownedBy(south, bob)).toEqual([])
  })
})
