import { z } from 'zod'
import { acceptUnbooked, describeUnbooked, readUnbooked } from '../audit/unbooked'
import type { Database } from '../platform/db/database'
import type { Log } from '../platform/log'
import { writeOffPayment, listOutgoingPayments, type WriteOffOutcome } from './write-off'

const OneLine = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .regex(/^[^\p{Cc}\p{Cs}]*$/u)
const decision = { by: OneLine(200), because: OneLine(500) }

/** What an operator may ask of a VASP about its payments to other nodes. */
export const OperatorRequest = z.discriminatedUnion('do', [
  z.strictObject({ do: z.literal('list') }),
  z.strictObject({ do: z.literal('fail'), paymentHash: z.string().regex(/^[0-9a-f]{64}$/), ...decision }),
  z.strictObject({
    do: z.literal('accept'),
    peer: z.string().regex(/^0[23][0-9a-f]{64}$/),
    // The number of a row: 64 bits, as text.
    upTo: z.string().regex(/^[1-9]\d{0,17}$/),
    ...decision,
  }),
])
export type OperatorRequest = z.infer<typeof OperatorRequest>

export const OperatorReply = z.object({ done: z.boolean(), lines: z.array(z.string()) })
export type OperatorReply = z.infer<typeof OperatorReply>

export interface OperatorPorts {
  readonly db: Database
  readonly log: Pick<Log, 'warn'>
  /** The node's `accounts`: payments through these can still be asked about. */
  readonly accounts: readonly string[]
}

/** Carries out what an operator decided, writes down who and why, and says in lines what was done or why not. */
export async function operate(ports: OperatorPorts, request: OperatorRequest): Promise<OperatorReply> {
  switch (request.do) {
    case 'list':
      return list(ports)
    case 'fail': {
      const { outcome, paymentId } = await writeOffPayment(ports.db, ports.accounts, request)
      if (outcome !== 'failed') return { done: false, lines: [REFUSALS[outcome]] }
      const { by, because } = request
      ports.log.warn({ payment: String(paymentId), by, because }, 'a payment was given up by a person')
      return { done: true, lines: [`Payment ${paymentId} was given up, and its hold given back.`] }
    }
    case 'accept': {
      const { count, sentMsats, receivedMsats } = await acceptUnbooked(ports.db, {
        ...request,
        upTo: BigInt(request.upTo),
      })
      if (count === 0) return { done: false, lines: ['Nothing of this node up to that number waits to be looked at.'] }
      const { peer, upTo, by, because } = request
      const sums = { sentMsats: String(sentMsats), receivedMsats: String(receivedMsats) }
      ports.log.warn({ peer, upTo, count, ...sums, by, because }, 'what a peer says was booked')
      const text = `${count} booked against suspense: ${sentMsats} msats sent, ${receivedMsats} msats received.`
      return { done: true, lines: [text, 'The node is paid again when its books and ours agree.'] }
    }
  }
}

const REFUSALS: Readonly<Record<Exclude<WriteOffOutcome, 'failed'>, string>> = {
  unknown: 'No payment to another node has this hash.',
  ended: 'This payment has ended. Nothing was changed.',
  peer: 'Its node is in LIGHTNING_PEERS and may still say what became of it. Nothing was changed.',
  leased: 'A server acts on this payment at the moment. Nothing was changed; try again in ten seconds.',
}

async function list({ db, accounts }: OperatorPorts): Promise<OperatorReply> {
  const open = (await listOutgoingPayments(db)).map(
    ({ id, paymentHash, username, peer, amountMsats, state, createdAt }) =>
      `payment ${id}  ${paymentHash}  ${state} since ${createdAt.toISOString()}  ${amountMsats} msats of ${username} to ${peer}` +
      (accounts.includes(peer) ? '' : ', which is a peer no more'),
  )
  const unbooked = (await readUnbooked(db)).map((each) => `to look at, ${each.id}: ${describeUnbooked(each)}`)
  const lines = [...open, ...unbooked]
  return { done: true, lines: lines.length === 0 ? ['No payment waits for another node.'] : lines }
}
