import { afterEach, expect, test } from 'vitest'
import { makeCreditPlanner } from '@/lib/payments/receive'
import { systemClock } from '@/lib/platform/clock'
import { loadSettings, SettingsError } from '@/lib/platform/config'
import type { Database } from '@/lib/platform/db/database'
import { makeLog } from '@/lib/platform/log'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode } from '@/test/lightning/scripted-node'
import { makeLndWorld } from '@/test/lnd-like/world'
import { newNodeSecret } from '@/test/vasp/keys'
import { newPayer, untilIs } from '@/test/vasp/leaving'
import { makeTestVasp } from '@/test/vasp/vasp'
import { chooseNode } from './choose-node'
import { nodePublicKey } from './node-key'
import { acceptOwnKey, requireOwnKey } from './own-key'

describeOnBothEngines('The key of the node', (db) => {
  const [first, second] = [newNodeSecret(), newNodeSecret()]
  const [firstKey, secondKey] = [nodePublicKey(first), nodePublicKey(second)]
  const forget = (): Promise<unknown> => run(db(), 'delete from lightning_node.own_key')
  afterEach(forget)

  test('is stored by the first start, and starts again', async () => {
    await open(db(), first)
    await open(db(), first)
    expect(await run(db(), 'select id, public_key from lightning_node.own_key')).toEqual([
      { id: 1, public_key: firstKey },
    ])
  })

  test('is stored once when two instances with different keys start at the same moment', async () => {
    const starts = await Promise.allSettled([open(db(), first), open(db(), second)])
    expect(starts.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
  })

  test('of another node is refused at start, in one line that names both', async () => {
    await open(db(), first)
    const refused = await open(db(), second).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(SettingsError)
    const { message } = refused as Error
    expect(message).toMatch(/^LIGHTNING_NODE_KEY [^\n]+$/)
    expect(message).toContain(`of the node ${secondKey}, and the books belong to the node ${firstKey}:`)
    expect(message).toContain(`npm run audit -- --accept-node ${secondKey}`)
    expect(message).not.toContain(second)
    await open(db(), first)
  })

  test('is taken once when an operator accepts it, and the earlier one is refused from then on', async () => {
    await open(db(), first)
    expect(await acceptOwnKey(db(), secondKey)).toBe('accepted')
    expect(await acceptOwnKey(db(), secondKey)).toBe('known')
    await open(db(), second)
    await expect(open(db(), first)).rejects.toThrow(firstKey)
  })

  test('of an LND stays while a payment that it has sent has no result', async () => {
    const world = makeLndWorld(db())
    const vasp = await makeTestVasp(db(), { PAYMENT_WAIT_SECONDS: '1' }, undefined, world.open())
    const payer = await newPayer(vasp, { SAT: 5_000_000n })
    const { publicKeyHex } = world.lnd
    await requireOwnKey(db(), publicKeyHex, 'LND_URL')
    world.journey('is held')
    const { invoice, paymentHash } = world.lnd.invoice(1_000_000n)
    expect((await payer.pay(invoice)).status).toBe(504)
    expect(await acceptOwnKey(db(), secondKey)).toBe('sending')
    world.lnd.release(paymentHash)
    await untilIs(db(), paymentHash, 'succeeded')
    await vasp.app.node.close()
    expect(await acceptOwnKey(db(), secondKey)).toBe('accepted')
    await expect(requireOwnKey(db(), publicKeyHex, 'LND_URL')).rejects.toThrow(
      `LND_URL leads to the node ${publicKeyHex}, and the books belong to the node ${secondKey}:`,
    )
  })

  test('stays while a payment that it has sent has no result, and can come back to such a payment', async () => {
    const node = makeScriptedNode(first)
    node.script = 'in flight'
    const env = { LIGHTNING_NODE_KEY: first, LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }
    const vasp = await makeTestVasp(db(), env, undefined, node)
    const payer = await newPayer(vasp, { SAT: 5_000_000n })
    const { invoice, paymentHash } = node.invoice(1_000_000n)
    expect((await payer.pay(invoice)).status).toBe(504)
    await untilIs(db(), paymentHash, 'sending')
    // The scripted node keeps no books here.
    await run(
      db(),
      `insert into lightning_node.sends (send_id, payment_hash, payer, payee, amount_msats, fee_limit_msats, state)
       select id, payment_hash, '${firstKey}', node_key, 1000000, 0, 'in_flight' from payments where payment_hash = '${paymentHash}'`,
    )
    await open(db(), first)
    expect(await acceptOwnKey(db(), secondKey)).toBe('sending')
    await expect(open(db(), second)).rejects.toThrow(firstKey)
    // As after a change that an earlier version allowed.
    await run(db(), `update lightning_node.own_key set public_key = '${secondKey}'`)
    expect(await acceptOwnKey(db(), firstKey)).toBe('accepted')
    await open(db(), first)
  })

  test('is no text but a compressed public key, and there is one', async () => {
    await open(db(), first)
    for (const change of [`public_key = 'key'`, `public_key = upper(public_key)`, 'id = 2'])
      await expect(run(db(), `update lightning_node.own_key set ${change}`), change).rejects.toThrow(/own_key_/)
  })
})

const run = (db: Database, text: string): Promise<Record<string, unknown>[]> => db.query({ name: '', text })

/** What a start does with the node of its settings. */
async function open(db: Database, secret: string): Promise<void> {
  const settings = loadSettings({ NEXTAUTH_SECRET: 's'.repeat(32), LIGHTNING_NODE_KEY: secret })
  const { node } = await chooseNode(settings).open({
    db,
    clock: systemClock,
    log: makeLog('silent', 'test'),
    creditPlannerFor: (nodeAccounts, ownKey) =>
      makeCreditPlanner({ db, house: () => 1n, nodeAccounts, rates: undefined as never }, ownKey),
  })
  await node.close()
}
