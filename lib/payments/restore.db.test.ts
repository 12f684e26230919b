import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openDatabase, type Database } from '@/lib/db/database'
import { describeOnPostgres } from '@/test/databases'
import { newKeyPair, newNodeSecret } from '@/test/keys'
import { expectSound, newPayer, statesOf, type Payer } from '@/test/leaving'
import { invoiceOf } from '@/test/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp'
import { nodePublicKey } from '../lightning/node-key'
import { makeSandboxNode } from '../lightning/sandbox/node'

const START = 10_000_000n
const AMOUNT = 1_000_000n

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
              : peer.deps.node.answer(new Request(url, init))
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
    const text = `select coalesce(sum(balance), 0)::bigint as total from ledger_accounts where kind = 'peer'`
    return (await deps.db.query<{ total: bigint }>({ name: 'test_peers', text }))[0]?.total ?? 0n
  }

  beforeAll(async () => {
    northUrl = await server.createDatabase()
    const north = await start('north', northUrl)
    south = await start('south', await server.createDatabase())
    payer = await newPayer(north, { SAT: START })
    payee = await newPayer(south, { SAT: START })
    const bill = await invoiceOf(south, payee.username, 'SAT', AMOUNT)
    expect((await payer.pay(bill.invoice, {}, north)).status).toBe(200)
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
    expect(await balancesOn(later)).toEqual([START - 2n * AMOUNT, 0n])
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
    expect(await owedBy(newest)).toBe(3n * AMOUNT)
    expect(await owedBy(south)).toBe(-3n * AMOUNT)
    await expectSound(newest.deps.db)
    await expectSound(south.deps.db)
  })

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
