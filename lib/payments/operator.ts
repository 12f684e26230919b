import { z } from 'zod'
import type { LightningNode } from '../lightning/node'
import type { Accepted, PeerTotals } from '../lightning/opened-node'
import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import type { EventPorts } from './payment-events'
import { listOutgoingPayments, MAX_LISTED, writeOffPayment, type WriteOffOutcome } from './write-off'

const OneLine = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u)
const Msats = z.string().regex(/^(0|[1-9]\d{0,17})$/)
const decision = { by: OneLine(200), because: OneLine(500) }

/** An operator's commands about payments to other nodes. */
export const OperatorRequest = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('list') }),
  z.strictObject({ do: z.literal('fail'), paymentHash: z.string().regex(/^[0-9a-f]{64}$/), ...decision }),
  z.strictObject({
    do: z.literal('accept'),
    peer: z.string().regex(/^0[23][0-9a-f]{64}$/),
    // The amounts that the audit prints.
    sentMsats: Msats,
    receivedMsats: Msats,
    ...decision,
  }),
])
export type OperatorRequest = z.infer<typeof OperatorRequest>

export const OperatorReply = z.object({
  done: z.boolean(),
  lines: z.array(z.string()),
  /** A list goes on behind this name. */
  next: z.string().optional(),
})
export type OperatorReply = z.infer<typeof OperatorReply>

export interface OperatorPorts {
  readonly db: Database
  readonly log: Pick<Log, 'warn'>
  /** Absent in a command that runs without the server. */
  readonly events?: EventPorts['events']
  /** The node's `accounts`: the node can still report the outcome of payments through these accounts. Undefined: not known here. */
  readonly accounts: readonly string[] | undefined
  /** Absent where the node loses no payments, and in a command that runs without the server. */
  readonly isStranded?: LightningNode['isStranded']
  /** Only for a running simulated node, which can ask its peers. */
  readonly totals?: Pick<PeerTotals, 'accept'> | undefined
}

/**
 * Carries out an operator's command and returns lines that report the result or the reason for a refusal. Each
 * decision is stored with the operator's name and reason.
 */
export async function operate(ports: OperatorPorts, request: OperatorRequest): Promise<OperatorReply> {
  switch (request.do) {
    case 'list':
      return list(ports)
    case 'fail': {
      if (ports.accounts === undefined) return { done: false, lines: [ONLY_RUNNING] }
      const accounts = (await isStranded(ports, request.paymentHash)) ? [] : ports.accounts
      const { outcome, paymentId } = await writeOffPayment(ports, accounts, request)
      if (outcome !== 'failed') return { done: false, lines: [REFUSALS[outcome]] }
      const { by, because } = request
      ports.log.warn({ payment: String(paymentId), by, because }, 'a payment was written off by an operator')
      return { done: true, lines: [`Payment ${paymentId} was written off. The reserved amount was returned.`] }
    }
    case 'accept':
      return accept(ports, request)
  }
}

async function isStranded({ db, isStranded: ask }: OperatorPorts, paymentHash: string): Promise<boolean> {
  if (ask === undefined) return false
  const open = (await listOutgoingPayments(db)).find((each) => each.paymentHash === paymentHash)
  return open !== undefined && ask({ sendId: open.id, paymentHash }).catch(() => false)
}

async function accept(
  { totals, log }: OperatorPorts,
  { peer, sentMsats, receivedMsats, by, because }: Extract<OperatorRequest, { do: 'accept' }>,
): Promise<OperatorReply> {
  if (totals === undefined)
    return { done: false, lines: ['Only a running server can ask the node for its totals. Nothing was booked.'] }
  const difference = { peer, sentMsats: BigInt(sentMsats), receivedMsats: BigInt(receivedMsats) }
  const outcome = await totals.accept({ ...difference, by, because })
  if (outcome !== 'booked') return { done: false, lines: [NOT_ACCEPTED[outcome]] }
  log.warn({ peer, sentMsats, receivedMsats, by, because }, 'the totals of a peer were accepted')
  const text = `Booked against suspense: ${sentMsats} msats sent, ${receivedMsats} msats received.`
  return { done: true, lines: [text, 'Payments to the node continue.'] }
}

const NOT_ACCEPTED: Readonly<Record<Exclude<Accepted, 'booked'>, string>> = {
  changed: 'The difference has changed. Nothing was booked. Run npm run audit to see it.',
  unknown: 'This node is not in LIGHTNING_PEERS. Nothing was booked.',
  away: 'The node does not answer. Nothing was booked. Try again when it is up.',
}

const ONLY_RUNNING =
  'Only a running server knows whether its node may still report the result. Start the server. Nothing was changed.'

const REFUSALS: Readonly<Record<Exclude<WriteOffOutcome, 'failed'>, string>> = {
  unknown: 'No payment to another node has this hash.',
  ended: 'This payment has ended. Nothing was changed.',
  peer: 'The node of this payment may still report the result: it is in LIGHTNING_PEERS, or is an LND that has not lost the payment. Nothing was changed.',
  leased: 'A server is working on this payment. Nothing was changed; try again in ten seconds.',
}

async function list({ db, accounts }: OperatorPorts): Promise<OperatorReply> {
  const open = (await listOutgoingPayments(db)).map(
    ({ id, paymentHash, username, peer, amountMsats, state, createdAt }) =>
      `payment ${id}  ${paymentHash}  ${state} since ${createdAt.toISOString()}  ${amountMsats} msats of ${username} to ${peer}` +
      (accounts?.includes(peer) !== false ? '' : ', which is no longer a peer'),
  )
  if (open.length === 0) return { done: true, lines: ['No payment to another node is pending.'] }
  const rest = `These are the oldest ${MAX_LISTED.toLocaleString('en-GB')}. Run the command again when some of them have ended.`
  return { done: true, lines: open.length < MAX_LISTED ? open : [...open, rest] }
}
