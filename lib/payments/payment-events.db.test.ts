import { beforeAll, beforeEach, expect, test } from 'vitest'
import type { NewEvent } from '@/lib/events/types'
import { readWallets } from '@/lib/ledger/accounts'
import { exchange, pullFaucet } from '@/lib/wallets/service'
import { describeOnBothEngines } from '@/test/databases/databases'
import { makeScriptedNode, type ScriptedNode } from '@/test/lightning/scripted-node'
import { invoiceOf, newUser } from '@/test/vasp/money'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import { payInvoice } from './pay-invoice'
import { awaitResult } from './service'
import { makePaymentWorker } from './worker'

describeOnBothEngines('Events are recorded', (db) => {
  let vasp: TestVasp
  let node: ScriptedNode
  const recorded: NewEvent[] = []

  beforeAll(async () => {
    node = makeScriptedNode()
    const plain = await makeTestVasp(db(), { LIGHTNING_PEERS: node.peers }, undefined, node)
    const events = {
      record: (event: NewEvent) => void recorded.push(event),
      flush: async () => {},
      droppedCount: () => 0,
      close: async () => undefined,
    }
    await plain.app.paymentWorker.stop()
    const paymentWorker = makePaymentWorker({ ...plain.app, events })
    vasp = { ...plain, app: { ...plain.app, events, paymentWorker } }
  })
  beforeEach(() => {
    recorded.length = 0
    node.script = 'arrives'
  })

  async function pay(username: string, invoice: string): Promise<void> {
    const wallets = await readWallets(db(), username)
    const request = { username, connectionId: null, wallets, invoice, amountMsats: undefined }
    await awaitResult(vasp.app, await payInvoice(vasp.app, request), 'invoice').catch(() => undefined)
  }
  const listed = (): unknown[] => recorded.map(({ name, userId }) => [name, userId])

  test('for payer and payee when both are at this VASP, once for a repeated request', async () => {
    const payer = await newUser(vasp, { SAT: 2_000_000n })
    const payee = await newUser(vasp, { SAT: 0n })
    const { invoice } = await invoiceOf(vasp, payee, 'SAT', 1_000_000n)
    await pay(payer, invoice)
    await pay(payer, invoice)
    expect(listed()).toEqual([
      ['invoice created', payee],
      ['payment succeeded', payer],
      ['invoice paid', payee],
    ])
    expect(JSON.stringify(recorded, (_key, value: unknown) => String(value))).not.toContain('preimage')
  })

  test('for a payment to another node that succeeds, and for one that fails', async () => {
    const payer = await newUser(vasp, { SAT: 5_000_000n })
    await pay(payer, node.invoice(1_000_000n).invoice)
    node.script = 'fails'
    await pay(payer, node.invoice(1_000_000n).invoice)
    expect(listed()).toEqual([
      ['payment held', payer],
      ['payment given to the node', payer],
      ['payment succeeded', payer],
      ['payment held', payer],
      ['payment given to the node', payer],
      ['payment failed', payer],
    ])
  })

  test('for test money and for an exchange between wallets', async () => {
    const user = await newUser(vasp, { USD: 0n, EUR: 0n })
    await pullFaucet(vasp.app, user, 'USD', 'one')
    await exchange(vasp.app, { username: user, from: 'USD', to: 'EUR', amount: 1_000n, requestId: 'one' })
    expect(listed()).toEqual([
      ['test money added', user],
      ['money exchanged', user],
    ])
  })
})
