import { beforeAll, beforeEach, expect, test } from 'vitest'
import { describeOnBothEngines } from '@/test/databases/databases'
import { rowsRead } from '@/test/databases/rows-read'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { impatient, untilUnknown } from '@/test/vasp/leaving'
import { newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { readWallets } from '../ledger/accounts'
import { postEntry } from '../ledger/entry'
import { readStatement, type StatementLine } from './queries'

describeOnBothEngines('A statement', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  let payer: string
  let token: string

  beforeAll(async () => {
    node = makeScriptedNode()
    vasp = await makeTestVasp(
      db(),
      { LIGHTNING_PEERS: node.peers, PAYMENT_WAIT_SECONDS: '1', RATE_LIMITS: 'off' },
      undefined,
      node,
    )
  })
  beforeEach(async () => {
    node.script = 'arrives'
    node.feeMsats = 3_000n
    payer = await newUser(vasp, { SAT: 100_000_000n })
    token = await vasp.connectionToken(payer, ['pay_invoice'])
  })

  const pay = async (script: ScriptedNode['script'] = 'arrives'): Promise<string> => {
    node.script = script
    const { invoice, paymentHash } = node.invoice(1_000_000n)
    const isPending = script === 'in flight'
    await (isPending ? impatient(vasp) : vasp).post('/payments/bolt11', token, { invoice })
    if (isPending) await untilUnknown(db(), paymentHash)
    return paymentHash
  }
  const faucet = async (times: number): Promise<void> => {
    const [wallet] = await readWallets(vasp.app.db, payer)
    const house = vasp.app.house('faucet', 'SAT')
    for (let time = 0; time < times; time += 1)
      await postEntry(vasp.app.db, {
        kind: 'faucet',
        key: `faucet of ${payer} ${time}`,
        lines: [
          { accountId: wallet?.accountId ?? 0n, amount: 1_000n },
          { accountId: house, amount: -1_000n },
        ],
      })
  }
  const whole = async (): Promise<StatementLine[]> => {
    const lines: StatementLine[] = []
    let before: bigint | undefined
    do {
      const page = await readStatement(vasp.app.db, payer, 'SAT', before)
      lines.push(...(page?.lines ?? []))
      before = page?.olderThan ?? undefined
    } while (before !== undefined)
    return lines
  }
  /** Each balance is the balance below it plus the line's amount, and the newest is the balance of the wallet. */
  const expectToAddUp = async (lines: readonly StatementLine[]): Promise<void> => {
    const [wallet] = await readWallets(vasp.app.db, payer)
    expect(lines[0]?.balance).toBe((wallet?.available ?? 0n) + (wallet?.held ?? 0n))
    for (const [index, line] of lines.entries())
      expect(line.balance, `balance after line ${index}`).toBe(line.amount + (lines[index + 1]?.balance ?? 0n))
  }

  test('shows a payment once with its final debit, whatever was held for it', async () => {
    await pay()
    const lines = await whole()
    expect(lines.map(({ text, amount }) => [text, amount])).toEqual([
      ['Paid: a thing from afar', -1_003_000n],
      ['Opening balance', 100_000_000n],
    ])
    await expectToAddUp(lines)
  })

  test('adds up while a payment is in progress, and when other payments end in the meantime', async () => {
    const slow = await pay('in flight')
    await pay()
    await faucet(1)
    await expectToAddUp(await whole())
    await node.end(slow, 'succeeded', 'tells')
    const lines = await whole()
    expect(lines.map(({ kind }) => kind)).toEqual(['settle', 'faucet', 'settle', 'opening'])
    await expectToAddUp(lines)
  })

  test('leaves out failed payments, whose holds were released', async () => {
    await pay('fails')
    const lines = await whole()
    expect(lines.map(({ text }) => text)).toEqual(['Opening balance'])
    await expectToAddUp(lines)
  })

  test('neither loses nor repeats a line between pages, wherever they are cut', async () => {
    for (let time = 0; time < 20; time += 1) await pay(time % 5 === 0 ? 'fails' : 'arrives')
    await faucet(120)
    for (let time = 0; time < 60; time += 1) await pay(time % 2 === 0 ? 'fails' : 'arrives')
    const lines = await whole()
    expect(lines).toHaveLength(1 + 16 + 120 + 30)
    expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
    await expectToAddUp(lines)
  }, 240_000)

  test('reads a bounded number of postings for a page, however long the history is', async () => {
    await faucet(600)
    await vasp.app.db.query({ name: 'analyze', text: 'analyze postings' })
    const { found, read } = await rowsRead(
      vasp.app.db,
      ['postings'],
      async () => (await readStatement(vasp.app.db, payer, 'SAT'))?.lines ?? [],
    )
    expect(found).toBe(50)
    expect(read).toBeLessThan(400)
  }, 240_000)
})
