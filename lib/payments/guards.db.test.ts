import { createHash, randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { makeAuditor } from '@/lib/audit/auditor'
import { findBreaches, FROM_THE_BEGINNING, readAuditMark } from '@/lib/audit/invariants'
import type { NodeBooks } from '@/lib/lightning/opened-node'
import { sqlState } from '@/lib/platform/db/sql-state'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { endLease, expectSound, newPayer, statesOf, type Payer } from '@/test/vasp/leaving'
import { booksOf, invoiceOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const START = 100_000_000n
/** SQLSTATEs of constraints, and of errors that our own functions raise. A mistake in a statement has another SQLSTATE. */
const REFUSED = /^(23|LG|PY)/

describeOnBothEngines('A VASP that has paid another node', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: Payer
  /** The hashes of a pending, a succeeded and a failed payment. */
  const hashes = { sending: '', succeeded: '', failed: '' }
  const preimages = new Map<string, string>()

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1' }, undefined, node)
    payer = await newPayer(vasp, { SAT: START })
    hashes.sending = await keysend('in flight')
    hashes.succeeded = await keysend('arrives')
    hashes.failed = await keysend('fails')
    for (const [state, hash] of Object.entries(hashes)) expect(await statesOf(db(), hash)).toEqual([state])
  })

  async function keysend(script: ScriptedNode['script']): Promise<string> {
    node.script = script
    const preimage = randomBytes(32).toString('hex')
    await payer.keysend({ amount: 50_000, pubkey: node.remoteKey, preimage })
    const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
    preimages.set(hash, preimage)
    return hash
  }

  let statements = 0
  const run = (text: string): Promise<unknown> => db().query({ name: `test_guard_${(statements += 1)}`, text })
  const idOf = (hash: string): string => `(select id from payments where payment_hash = '${hash}')`

  test.each<[string, () => string]>([
    ['sending a failed payment', () => changed(hashes.failed, `state = 'sending', failure = null`)],
    ['settling a failed payment', () => changed(hashes.failed, `state = 'succeeded'`)],
    ['failing a settled payment', () => changed(hashes.succeeded, `state = 'failed'`)],
    ['another fee for a settled payment', () => changed(hashes.succeeded, 'network_fee_msats = 7')],
    ['holding a payment in progress again', () => changed(hashes.sending, `state = 'held'`)],
    ['failing a payment without releasing its hold', () => changed(hashes.sending, `state = 'failed'`)],
    ['a larger hold', () => changed(hashes.sending, 'debit = debit + 1')],
    ['a smaller hold, before it is settled', () => changed(hashes.sending, 'debit = debit - 1')],
    ['another node', () => changed(hashes.sending, `node_key = '02${'a'.repeat(64)}'`)],
    ['another fee limit', () => changed(hashes.sending, 'fee_limit_msats = 0')],
    ['another amount', () => changed(hashes.sending, 'amount_msats = 1')],
    ['another preimage', () => changed(hashes.sending, `keysend_preimage = '${'0'.repeat(64)}'`)],
    ['deleting a payment', () => `delete from payments where payment_hash = '${hashes.sending}'`],
    ['an incoming payment without a ledger entry', () => receipt(randomBytes(32).toString('hex'))],
    ['deleting all incoming payments', () => 'delete from incoming_payments'],
    [
      'deleting the node’s receipts',
      () => `do $$ begin
               perform lightning_node.refuse('a peer', '${'0'.repeat(64)}', '1', 'late');
               delete from lightning_node.receipts;
             end $$`,
    ],
    ['a held balance below zero', () => moved('held', -1_000_000_000n)],
    ['a hold that no payment has', () => moved('held', 1_000n)],
  ])('has a database that refuses %s', async (_, statement) => {
    const before = await booksOf(db())
    await expect(run(statement())).rejects.toSatisfy((error) => REFUSED.test(sqlState(error) ?? ''))
    expect(await booksOf(db())).toEqual(before)
  })

  test('N4: settles a payment once: settling or failing it again moves nothing', async () => {
    const done = await booksOf(db())
    const params = `'${preimages.get(hashes.succeeded) ?? ''}', 0, 50000, array[]::bigint[], array[]::bigint[]`
    expect(await run(`select settle_payment(${idOf(hashes.succeeded)}, ${params}) as word`)).toEqual([
      { word: 'already' },
    ])
    expect(await run(`select fail_payment(${idOf(hashes.succeeded)}, 'unknown') as word`)).toEqual([
      { word: 'succeeded' },
    ])
    expect(await run(`select fail_payment(${idOf(hashes.failed)}, 'unknown') as word`)).toEqual([{ word: 'already' }])
    expect(await run(`select settle_payment(${idOf(hashes.failed)}, ${params}) as word`)).toEqual([{ word: 'failed' }])
    expect(await booksOf(db())).toEqual(done)
  })

  test('N6: never settles a payment with the preimage of another hash', async () => {
    const id = idOf(hashes.sending)
    const text = `select settle_payment(${id}, '${'1'.repeat(64)}', 0, 50000, array[]::bigint[], array[]::bigint[])`
    await expect(run(text)).rejects.toSatisfy((error) => sqlState(error) === '23514')
    expect(await statesOf(db(), hashes.sending)).toEqual(['sending'])
  })

  test('ignores an event about a send that this ledger never made', async () => {
    const before = await booksOf(db())
    const preimage = randomBytes(32).toString('hex')
    await node.tell({ kind: 'sent', sendId: 2n ** 62n, outcome: { kind: 'succeeded', preimage, feeMsats: 0n } })
    await node.tell({ kind: 'sent', sendId: 2n ** 62n, outcome: { kind: 'failed', failure: 'unknown' } })
    expect(await booksOf(db())).toEqual(before)
  })

  test.each<[string, () => string]>([
    ['has a send that the ledger has no record of', () => send('999999999', randomBytes(32).toString('hex'))],
    ['made a payment whose hold was released', () => made(hashes.failed, 50_000n, 0n)],
    ['sent another amount', () => made(hashes.succeeded, 50_001n, 0n)],
    ['paid another fee', () => made(hashes.succeeded, 50_000n, 3n)],
    ['has no result for a payment that the ledger settled', () => send(idOf(hashes.succeeded), hashes.succeeded)],
  ])('N7: reports in the audit that the node %s, and sends no further payments', async (_, plant) => {
    await expectSound(db())
    await run(plant())
    const own = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, vasp.pair, node)
    const { breaches } = await own.app.audit.run('everything')
    expect(breaches.map(({ invariant }) => invariant)).toEqual(['N7'])
    const sends = node.sent.length
    expect((await payer.pay(node.invoice(1_000n).invoice, {}, own)).status).toBe(503)
    expect(node.sent).toHaveLength(sends)
    await run('delete from lightning_node.sends')
    await own.app.paymentWorker.stop()
  })

  test.each<[string, () => string]>([
    ['that the node has no record of', () => 'select'],
    ['that the node has not completed', () => send(idOf(hashes.succeeded), hashes.succeeded)],
    ['that failed at the node', () => failedSend(hashes.succeeded)],
    ['for which the node sent more', () => made(hashes.succeeded, 50_001n, 0n)],
    ['for which the node sent less', () => made(hashes.succeeded, 49_999n, 0n)],
    ['for which the node paid another fee', () => made(hashes.succeeded, 50_000n, 3n)],
  ])('N7: reports in the audit a settled outgoing payment %s, and sends no further payments', async (_, plant) => {
    const compare = async (since = FROM_THE_BEGINNING): Promise<string[]> =>
      (await findBreaches(db(), since, await readAuditMark(db()), 'here')).map(({ invariant }) => invariant)
    await run(made(hashes.succeeded, 50_000n, 0n))
    expect(await compare()).toEqual([])
    await run('delete from lightning_node.sends')
    await run(plant())
    expect(await compare()).toEqual(['N7'])
    const auditor = makeAuditor(db(), vasp.app.log, 'here')
    await auditor.run('everything')
    expect(() => auditor.refusePaymentsAfterBreach()).toThrow(/stopped/)
    await run('delete from lightning_node.sends')
  })

  test('completes its pending payments after all of these breaches', async () => {
    await node.end(hashes.sending, 'succeeded')
    await endLease(db(), hashes.sending)
    await vasp.app.paymentWorker.reconcile()
    expect(await payer.balances()).toEqual([START - 100_000n, 0n])
    await expectSound(db())
  })

  test('N7: reports the breach in an audit of recent entries too, for a payment that was pending at the previous audit', async () => {
    const hash = await keysend('in flight')
    const since = await readAuditMark(db())
    await node.end(hash, 'succeeded', 'tells')
    expect(await statesOf(db(), hash)).toEqual(['succeeded'])
    const compare = async (nodeBooks: NodeBooks): Promise<string[]> =>
      (await findBreaches(db(), since, await readAuditMark(db()), nodeBooks)).map(({ invariant }) => invariant)
    expect(await compare('elsewhere')).toEqual([])
    // The opposite comparison reports once that the node never made the payment.
    expect(await compare('here')).toEqual(['N7'])
    await run(send(idOf(hash), hash))
    expect([await compare('elsewhere'), await compare('here')]).toEqual([['N7'], ['N7']])
    await run('delete from lightning_node.sends')
  })

  test('N7: reports in the audit a payment that the node received and the ledger did not book', async () => {
    const { paymentHash } = await invoiceOf(vasp, payer.username, 'SAT', 1_000n)
    await run(`insert into lightning_node.receipts (payer, payment_hash, attempt, state, amount_msats, preimage)
               select '${node.remoteKey}', payment_hash, '1', 'received', 1000, preimage from invoices
               where payment_hash = '${paymentHash}'`)
    const breaches = await findBreaches(db(), FROM_THE_BEGINNING, await readAuditMark(db()), 'elsewhere')
    expect(breaches.map(({ invariant }) => invariant)).toEqual(['N7'])
  })

  function changed(hash: string, what: string): string {
    return `update payments set ${what} where payment_hash = '${hash}'`
  }

  function receipt(hash: string): string {
    return `insert into incoming_payments (payment_hash, node_key, amount_msats) values ('${hash}', '${node.remoteKey}', 1000)`
  }

  function moved(kind: string, amount: bigint): string {
    return `select post_entry('exchange', 'test:${randomBytes(8).toString('hex')}', array[a.id, h.id], array[${-amount}, ${amount}])
            from payments p join ledger_accounts a on a.wallet_id = p.wallet_id and a.kind = 'available'
            join ledger_accounts h on h.wallet_id = p.wallet_id and h.kind = '${kind}'
            where p.payment_hash = '${hashes.sending}'`
  }

  function send(id: string, hash: string): string {
    return `insert into lightning_node.sends (send_id, payment_hash, payer, payee, amount_msats, fee_limit_msats, state)
            values (${id}, '${hash}', '${node.identity.publicKeyHex}', '${node.remoteKey}', 50000, 10000, 'in_flight')`
  }

  function failedSend(hash: string): string {
    return `insert into lightning_node.sends (send_id, payment_hash, payer, payee, state, failure, ended_at)
            values (${idOf(hash)}, '${hash}', '${node.identity.publicKeyHex}', '${node.remoteKey}', 'failed', 'unknown', now())`
  }

  function made(hash: string, amount: bigint, fee: bigint): string {
    return `insert into lightning_node.sends
              (send_id, payment_hash, payer, payee, amount_msats, fee_limit_msats, fee_msats, state, preimage, ended_at)
            values (${idOf(hash)}, '${hash}', '${node.identity.publicKeyHex}', '${node.remoteKey}', ${amount}, 10000, ${fee}, 'succeeded',
                    '${preimages.get(hash) ?? ''}', now())`
  }
})
