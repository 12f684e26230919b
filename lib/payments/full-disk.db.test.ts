import { accessSync, constants, lstatSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Database } from '@/lib/platform/db/database'
import { openDatabase } from '@/lib/platform/db/open-database'
import { describeOnPrivatePostgres } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { expectSound, newPayer, statesOf, type Payer } from '@/test/vasp/leaving'
import { invoiceOf } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'

const AMOUNT = 1_000_000n
const START = 5_000_000n
/** Every write to this device fails with ENOSPC, as on a full disk. */
const FULL = '/dev/full'

await describeOnPrivatePostgres('A server whose disk is full', (server) => {
  const node: ScriptedNode = makeScriptedNode()
  let db: Database
  let vasp: TestVasp
  let payer: Payer
  let payee: Payer
  /** The file of the table `payments`, which is still empty. */
  let file = ''

  const run = <Row = Record<string, unknown>>(text: string): Promise<Row[]> =>
    db.query<Row>({ name: `test_disk_${text.slice(0, 40)}`, text })

  beforeAll(async () => {
    db = await openDatabase({ databaseUrl: await server.createMigratedDatabase(), dataDir: '', log: () => {} })
    vasp = await makeTestVasp(db, { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '2' }, undefined, node)
    payer = await newPayer(vasp, { SAT: START })
    payee = await newPayer(vasp, { SAT: 0n })
    const [where] = await run<{ folder: string; path: string }>(
      `select current_setting('data_directory') as folder, pg_relation_filepath('payments') as path`,
    )
    file = join(where?.folder ?? '', where?.path ?? '')
    accessSync(file, constants.W_OK)
    expect(statSync(file).size).toBe(0)
  })
  afterAll(async () => {
    if (lstatSync(`${file}.kept`, { throwIfNoEntry: false }) !== undefined) await empty()
    await vasp.app.paymentWorker.stop()
    await db.close()
  })

  test('answers every payment with 503, internal ones too, and sends none; recovers when space is free', async () => {
    const { invoice, paymentHash } = node.invoice(AMOUNT)
    const own = await invoiceOf(vasp, payee.username, 'SAT', AMOUNT)
    await fill()
    for (const each of [invoice, own.invoice, invoice])
      expect(await payer.pay(each)).toMatchObject({ status: 503, body: { code: 'INTERNAL' } })
    expect(vasp.logged.join('')).toContain('No space left on device')
    expect(node.sent).toEqual([])
    expect(await payer.balances()).toEqual([START, 0n])
    await empty()
    expect((await payer.pay(invoice)).status).toBe(200)
    expect((await payer.pay(own.invoice)).status).toBe(200)
    expect(await statesOf(db, paymentHash)).toEqual(['succeeded'])
    expect(node.sent).toHaveLength(1)
    expect(await payer.balances()).toEqual([START - 2n * AMOUNT, 0n])
    expect(await payee.balances()).toEqual([AMOUNT, 0n])
    await expectSound(db)
  })

  async function fill(): Promise<void> {
    // Flush pending writes first: the server would not survive their failure.
    await run('checkpoint')
    renameSync(file, `${file}.kept`)
    symlinkSync(FULL, file)
    await reconnect()
  }

  async function empty(): Promise<void> {
    rmSync(file)
    renameSync(`${file}.kept`, file)
    await reconnect()
  }

  /** A connection keeps its files open, so new connections are needed. */
  async function reconnect(): Promise<void> {
    await run(`select pg_terminate_backend(pid) from pg_stat_activity
               where datname = current_database() and pid <> pg_backend_pid()`)
    await run('select pg_terminate_backend(pg_backend_pid())').catch(() => undefined)
  }
})
