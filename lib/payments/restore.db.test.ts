import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from '@/lib/platform/db/database'
import { describeOnPostgres } from '@/test/databases'
import { newKeyPair, newNodeSecret } from '@/test/keys'
import { expectSound, houseBalance, newPayer, statesOf, type Payer } from '@/test/leaving'
import { invoiceOf } from '@/test/money'
import { makeTestVasp, type Answer, type TestVasp } from '@/test/vasp'
import { answerPeer } from '@/lib/lightning/sandbox/answer-peer'
import { readUnbooked } from '../audit/unbooked'
import { nodePublicKey } from '../lightning/node-key'
import { makeSandboxNode } from '../lightning/sandbox/node'
import { readiness } from '../platform/readiness'
import { operate } from './operator'

const START = 10_000_000n
const AMOUNT = 1_000_000n
/** What comes from the other side. */
const PAID_BACK = 300_000n

/** Two whole VASPs whose nodes reach each other, one of which is put back to an older state as a whole. */
describeOnPostgres('A VASP that was put back from a backup', (server) => {
  const pair = newKeyPair()
  const secrets = { north: newNodeSecret(), south: newNodeSecret() }
  const opened: Database[] = []
  const vasps: TestVasp[] = []
  /** Who answers at the origin of each. */
  const answering: { north?: TestVasp; south?: TestVasp } = {}
  let northUrl = ''
  let backupUrl = ''
  let south: TestVasp
  let payer: Payer
  let payee: Payer
  /** Of the payer, made before the backup, and paid from the south after it. */
  let openBill: { readonly invoice: string; readonly paymentHash: string }

  async function start(name: 'north' | 'south', databaseUrl: string): Promise<TestVasp> {
    const other = name === 'north' ? 'south' : 'north'
    const db = await openDatabase({ databaseUrl, dataDir: '', log: () => {} })
    opened.push(db)
    const vasp = await makeTestVasp(
      db,
      {
        VASP_DOMAIN: `localhost:${name === 'north' ? 3000 : 3001}`,
        LIGHTNING_NODE_KEY: secrets[name],
        LIGHTNING_PEERS: `${nodePublicKey(secrets[other])}@http://localhost:${other === 'north' ? 3000 : 3001}`,
        PAYMENT_WAIT_SECONDS: '2',
      },
      pair,
      (parts) =>
        makeSandboxNode({
          ...parts,
          post: (url, init) => {
            const peer = answering[other]
            return peer === undefined
              ? Promise.reject(new Error('nobody is there'))
              : answerPeer(peer.deps.sandboxNode, new Request(url, init))
          },
        }),
    )
    vasps.push(vasp)
    answering[name] = vasp
    return vasp
  }
  const stop = async (vasp: TestVasp): Promise<void> => {
    await vasp.deps.paymentWorker.stop()
    await vasp.deps.db.close()
  }
  const owedBy = async ({ deps }: TestVasp): Promise<bigint> => {
    const text = `select coalesce(sum(balance), 0)::bigint as total from ledger_accounts where kind = 'node'`
    return (await deps.db.query<{ total: bigint }>({ name: 'test_peers', text }))[0]?.total ?? 0n
  }

  beforeAll(async () => {
    northUrl = await server.createMigratedDatabase()
    const north = await start('north', northUrl)
    south = await start('south', await server.createMigratedDatabase())
    payer = await newPayer(north, { SAT: START })
    payee = await newPayer(south, { SAT: START })
    const bill = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    expect((await payer.pay(bill.invoice, {}, north)).status).toBe(200)
    openBill = await invoiceOf(north, payer.username, 'SAT', PAID_BACK)
    await stop(north)
    backupUrl = await copyOf(northUrl)
  })
  afterAll(async () => {
    await Promise.all(vasps.map((each) => each.deps.paymentWorker.stop()))
    // Those that were stopped in between are closed already.
    await Promise.all(opened.map((each) => each.close().catch(() => undefined)))
  })

  test('G17: pays the peer that remembers more nothing, pays its own people, and says what is wrong', async () => {
    const later = await start('north', northUrl)
    const bill = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    expect((await payer.pay(bill.invoice, {}, later)).status).toBe(200)
    expect((await payee.pay(openBill.invoice, {}, south)).status).toBe(200)
    expect(await balancesOn(later)).toEqual([START - 2n * AMOUNT + PAID_BACK, 0n])
    await stop(later)

    const restored = await start('north', backupUrl)
    // What it has is sound: it does not know what it has forgotten.
    expect((await restored.deps.audit.run('everything')).breaches).toEqual([])
    const before = await balancesOn(restored)
    expect(before).toEqual([START - AMOUNT, 0n])
    const southHas = await payee.balances()
    for (const attempt of [bill, await invoiceOf(south, payee.username, 'SAT', AMOUNT)]) {
      const answer = await payer.pay(attempt.invoice, {}, restored)
      expect(answer).toMatchObject({ status: 400, body: { code: 'PAYMENT_FAILED' } })
      expect(await statesOf(restored.deps.db, attempt.paymentHash)).toEqual(['failed'])
    }
    expect(await balancesOn(restored)).toEqual(before)
    expect(await payee.balances()).toEqual(southHas)
    const said = restored.logged.filter((line) => line.includes('a peer is not paid: its books and ours do not agree'))
    expect(said[0]).toContain(`has received ${2n * AMOUNT} msats from us, our books know of ${AMOUNT}`)
    // Between its own people nothing is in doubt.
    const friend = await newPayer(restored, { SAT: 0n })
    const own = await invoiceOf(restored, friend.username, 'SAT', AMOUNT)
    expect((await payer.pay(own.invoice, {}, restored)).status).toBe(200)
    await expectSound(restored.deps.db)

    // The newer state, put back instead, agrees again: nothing has to be said to anybody.
    await stop(restored)
    const newest = await start('north', northUrl)
    const after = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    expect((await payer.pay(after.invoice, {}, newest)).status).toBe(200)
    expect(await owedBy(newest)).toBe(3n * AMOUNT - PAID_BACK)
    expect(await owedBy(south)).toBe(PAID_BACK - 3n * AMOUNT)
    await expectSound(newest.deps.db)
    await expectSound(south.deps.db)
    await stop(newest)
  })

  test('G17: writes down at its start what the peer knows more, books it when a person believes it, and goes on', async () => {
    const restored = await start('north', backupUrl)
    const { db, audit } = restored.deps
    const before = await balancesOn(restored)
    await restored.deps.sandboxNode?.meetPeers()
    await restored.deps.sandboxNode?.meetPeers()
    // Two payments since the backup, and one that came in: each once, and no money was moved.
    const told = (await readUnbooked(db)).map(({ direction, amountMsats }) => `${direction} ${amountMsats}`)
    expect(told.toSorted()).toEqual([`received ${PAID_BACK}`, `sent ${AMOUNT}`, `sent ${AMOUNT}`])
    const { breaches, review } = await audit.run('everything')
    expect([breaches, review?.length]).toEqual([[], 3])
    expect(review?.join()).toContain(`has sent us ${PAID_BACK} msats for ${openBill.paymentHash}`)
    expect(await readiness(restored.deps)).toMatchObject({ ready: true, checks: { books: 'ok', peers: 'review' } })
    expect([await balancesOn(restored), await houseBalance(db, 'suspense')]).toEqual([before, 0n])
    expect((await payTo(restored)).status).toBe(400)

    const peer = south.deps.node.identity.publicKeyHex
    const log = restored.deps.log
    const ports = { db, log, accounts: [peer] }
    const seen = (await readUnbooked(db)).map(({ id }) => String(id))
    const { lines } = await operate(ports, { do: 'list' })
    expect(lines.map((line) => line.slice(0, line.indexOf(':')))).toEqual(seen.map((id) => `to look at, ${id}`))
    const decided = { do: 'accept', peer, by: 'ops', because: 'the south has shown its books' } as const
    // What the peer told after the last one that was looked at goes on waiting.
    const [first = '', , last = ''] = seen
    expect(await operate(ports, { ...decided, upTo: first })).toMatchObject({
      done: true,
      lines: [expect.stringMatching(/^1 booked against suspense: /), expect.anything()],
    })
    expect((await readUnbooked(db)).map(({ id }) => String(id))).toEqual(seen.slice(1))
    expect(await operate(ports, { ...decided, upTo: last })).toMatchObject({ done: true })
    expect(await operate(ports, { ...decided, upTo: last })).toMatchObject({ done: false })
    expect(await houseBalance(db, 'suspense')).toBe(PAID_BACK - 2n * AMOUNT)
    expect(await owedBy(restored)).toBe(-(await owedBy(south)))
    expect(await balancesOn(restored)).toEqual(before)
    await expectSound(db)

    await restored.deps.sandboxNode?.meetPeers()
    await audit.lookForLosses()
    expect(audit.peers()).toBe('ok')
    const paid = await payTo(restored)
    expect(paid.status).toBe(200)
    expect(await owedBy(restored)).toBe(-(await owedBy(south)))
    await expectSound(db)
    await expectSound(south.deps.db)
  })

  async function payTo(from: TestVasp): Promise<Answer> {
    const { invoice } = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    return payer.pay(invoice, {}, from)
  }

  /** The payer's balances in that state: `payer` itself looks at the handle with which it was made. */
  async function balancesOn({ deps }: TestVasp): Promise<[bigint, bigint]> {
    const text = `select a.balance as available, h.balance as held from wallets w
                  join ledger_accounts a on a.wallet_id = w.id and a.kind = 'available'
                  join ledger_accounts h on h.wallet_id = w.id and h.kind = 'held' where w.user_id = $1`
    const [row] = await deps.db.query<{ available: bigint; held: bigint }>({ name: 'test_has', text }, [payer.username])
    return [row?.available ?? -1n, row?.held ?? -1n]
  }

  /** A whole copy, as `pg_dump` and `pg_restore` make it; nobody is connected to the original. */
  async function copyOf(url: string): Promise<string> {
    const copy = await server.createDatabase()
    const [from, to] = [url, copy].map((each) => new URL(each).pathname.slice(1))
    const admin = new URL(url)
    admin.pathname = '/postgres'
    const client = new Client({ connectionString: admin.href })
    await client.connect()
    await client.query(`drop database ${to}`)
    await client.query(`create database ${to} template ${from}`)
    await client.end()
    return copy
  }
})
