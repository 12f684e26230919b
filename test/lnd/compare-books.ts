import { z } from 'zod'
import type { Database } from '@/lib/platform/db/database'
import { statement } from '@/lib/platform/db/statement'
import type { NetworkNode } from '../../sandbox/lnd/network'

const Payments = z.object({
  payments: z.array(
    z.object({
      payment_hash: z.string(),
      status: z.string(),
      value_msat: z.coerce.bigint(),
      fee_msat: z.coerce.bigint(),
    }),
  ),
})
const Invoices = z.object({
  invoices: z.array(z.object({ r_hash: z.string(), state: z.string(), amt_paid_msat: z.coerce.bigint() })),
})
/** More than any test makes. */
const ALL = 100_000

/** The VASP's books and LND's own lists. */
export interface ComparedBooks {
  /** Each hash on which they disagree, with both sides. Empty when they agree. */
  readonly differences: readonly string[]
  /** Payments that LND calls in flight. */
  readonly inFlight: number
  readonly sent: number
  readonly received: number
  /** What the ledger's account of the node gained, and what LND's payments and invoices add up to. */
  readonly ledgerMsats: bigint
  readonly lndMsats: bigint
}

const SENT = statement<{ payment_hash: string; state: string; amount_msats: bigint; network_fee_msats: bigint }>(
  'test_lnd_sent',
  `select distinct on (payment_hash) payment_hash, state, amount_msats, network_fee_msats from payments
         where node_key is not null order by payment_hash, state = 'succeeded' desc`,
)
const RECEIVED = statement<{ payment_hash: string; amount_msats: bigint }>(
  'test_lnd_received',
  'select payment_hash, amount_msats from incoming_payments',
)
const ACCOUNT = statement<{ balance: bigint }>(
  'test_lnd_account',
  'select balance from ledger_accounts where node_key = $1',
)

/** Compares them: to the millisatoshi, and hash by hash. */
export async function compareBooks(db: Database, node: NetworkNode): Promise<ComparedBooks> {
  const { payments } = Payments.parse(await node.call(`/v1/payments?include_incomplete=true&max_payments=${ALL}`))
  const { invoices } = Invoices.parse(await node.call(`/v1/invoices?num_max_invoices=${ALL}`))
  const lndSent = new Map<string, string>()
  let lndMsats = 0n
  for (const { payment_hash: hash, status, value_msat: value, fee_msat: fee } of payments) {
    if (status === 'FAILED') continue
    lndSent.set(hash, `${status.toLowerCase()} ${value} + ${fee}`)
    if (status === 'SUCCEEDED') lndMsats -= value + fee
  }
  const lndReceived = new Map<string, string>()
  for (const { r_hash: hash, state, amt_paid_msat: amount } of invoices) {
    if (state !== 'SETTLED' && state !== 'ACCEPTED') continue
    lndReceived.set(Buffer.from(hash, 'base64').toString('hex'), state === 'SETTLED' ? String(amount) : state)
    if (state === 'SETTLED') lndMsats += amount
  }
  const sent = new Map<string, string>()
  for (const { payment_hash: hash, state, amount_msats: amount, network_fee_msats: fee } of await db.query(SENT))
    if (state !== 'failed') sent.set(hash, `${state === 'succeeded' ? state : 'in_flight'} ${amount} + ${fee}`)
  const received = new Map<string, string>()
  for (const { payment_hash: hash, amount_msats: amount } of await db.query(RECEIVED))
    received.set(hash, String(amount))
  const [account] = await db.query(ACCOUNT, [node.publicKeyHex])
  return {
    differences: [...between('sent', sent, lndSent), ...between('received', received, lndReceived)],
    inFlight: payments.filter(({ status }) => status === 'IN_FLIGHT').length,
    sent: sent.size,
    received: received.size,
    // Money that came in is a debt of the node to the VASP: a balance below zero.
    ledgerMsats: -(account?.balance ?? 0n),
    lndMsats,
  }
}

function between(what: string, ours: ReadonlyMap<string, string>, lnds: ReadonlyMap<string, string>): string[] {
  return [...new Set([...ours.keys(), ...lnds.keys()])]
    .filter((hash) => ours.get(hash) !== lnds.get(hash))
    .map((hash) => `${what} ${hash}: here ${ours.get(hash) ?? 'nothing'}, LND ${lnds.get(hash) ?? 'nothing'}`)
}
