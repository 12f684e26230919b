import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { fetchToken } from '../../sandbox/shared/fetch-token'
import { hashOf } from '../lightning/node-under-test'
import { userOf, type Stack } from '../stack/stack'
import type { RemoteNode } from './remote-node'

/** Payments in both directions between a VASP and a remote node, until they are stopped. */
export interface Traffic {
  /** Hashes of payments that the VASP reported as paid. */
  readonly paid: ReadonlySet<string>
  /** Hashes of payments that the remote node made, and LND reported as paid. */
  readonly received: ReadonlySet<string>
  stop(): Promise<void>
}

const PAY_AT_ONCE = 4
/** `one by one`: the next payment in a direction begins when the one before has been answered. */
export type Pace = 'several at once' | 'one by one'
const PAY_PERMISSIONS = ['pay_invoice', 'pay_keysend', 'make_invoice']
/** Not whole satoshis, so that the books are compared to the millisatoshi. */
const someMsats = (): bigint => 1_000n + BigInt(randomBytes(2).readUInt16BE())
const RECORD = { user: 696_969, name: Buffer.from('bob').toString('hex') }

export async function startTraffic(
  stack: Pick<Stack, 'vaspOrigin' | 'gatewayOrigin'>,
  remote: RemoteNode,
  keys: { readonly own: string; readonly remote: string },
  pace: Pace,
): Promise<Traffic> {
  const token = await fetchToken({ ...userOf(stack, 'bob'), permissions: PAY_PERMISSIONS })
  const paid = new Set<string>()
  const received = new Set<string>()
  const end = new AbortController()

  async function post(path: string, body: object): Promise<Record<string, unknown> | undefined> {
    const response = await fetch(`${stack.vaspOrigin}/umanwc/v1${path}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(60_000),
    })
    const answer = (await response.json()) as Record<string, unknown>
    return response.status === 200 ? answer : undefined
  }
  async function payInvoice(): Promise<boolean> {
    const { invoice, paymentHash } = await remote.invoice(someMsats())
    const answer = await post('/payments/bolt11', { invoice })
    if (answer !== undefined) paid.add(paymentHash)
    return answer !== undefined
  }
  async function payKeysend(): Promise<boolean> {
    const preimage = randomBytes(32).toString('hex')
    const answer = await post('/payments/keysend', { amount: Number(someMsats()), pubkey: keys.remote, preimage })
    if (answer !== undefined) paid.add(hashOf(preimage))
    return answer !== undefined
  }
  async function receiveInvoice(): Promise<boolean> {
    const made = await post('/invoice', { amount: Number(someMsats()) })
    if (made === undefined || !(await remote.pay(String(made.invoice)))) return false
    received.add(String(made.payment_hash))
    return true
  }
  async function receiveKeysend(): Promise<boolean> {
    const preimage = randomBytes(32).toString('hex')
    const isPaid = await remote.keysend(keys.own, preimage, someMsats(), { [RECORD.user]: RECORD.name })
    if (isPaid) received.add(hashOf(preimage))
    return isPaid
  }

  async function repeat(act: () => Promise<boolean>): Promise<void> {
    while (!end.signal.aborted) {
      // The VASP or LND is down: again soon.
      if (!(await act().catch(() => false))) await sleep(50)
    }
  }
  const loops =
    pace === 'one by one'
      ? [inTurn(payInvoice, payKeysend), inTurn(receiveInvoice, receiveKeysend)]
      : [...Array.from({ length: PAY_AT_ONCE }, () => payInvoice), payKeysend, receiveInvoice, receiveKeysend]
  const ended = Promise.all(loops.map(repeat))
  return {
    paid,
    received,
    async stop() {
      end.abort()
      await ended
    },
  }
}

function inTurn(first: () => Promise<boolean>, second: () => Promise<boolean>): () => Promise<boolean> {
  let turn = 0
  return () => (turn++ % 2 === 0 ? first() : second())
}
