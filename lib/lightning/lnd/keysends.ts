import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../platform/log'
import type { CreditPlanner } from '../credit-planner'
import type { Lnd, LndInvoice } from './lnd'

export interface KeysendParts {
  readonly lnd: Lnd
  /** The ledger account of what is received. */
  readonly account: string
  readonly creditPlanner: CreditPlanner
  readonly log: Log
}

/** LND reports a keysend shortly before it holds the money. */
const HELD_WITHIN_MS = 5_000
const ASK_EVERY_MS = 100
/** Further keysends wait for the next look at what LND holds, or go back to their payers when its hold time ends. */
const MAX_UNDECIDED = 50

/**
 * Decides about keysends that an LND with `keysend-hold-time` holds: settles one that can be credited, and cancels any other, so that
 * its payer has the money back at once. Without a decision, LND cancels it. Without a hold time, there is nothing to decide.
 */
export function makeKeysendDecisions({
  lnd,
  account,
  creditPlanner,
  log,
}: KeysendParts): (keysend: LndInvoice) => void {
  const undecided = new Set<string>()

  async function held(paymentHash: string): Promise<LndInvoice | undefined> {
    for (const since = performance.now(); performance.now() - since < HELD_WITHIN_MS; await sleep(ASK_EVERY_MS)) {
      const invoice = await lnd.lookUpInvoice(paymentHash)
      if (invoice.state === 'ACCEPTED') return invoice
      if (invoice.state !== 'OPEN') return undefined
    }
    return undefined
  }

  async function decide(paymentHash: string): Promise<void> {
    const invoice = await held(paymentHash)
    if (invoice === undefined) return
    const { preimage, records, heldMsat: amountMsats } = invoice
    const plan = await creditPlanner.planCredit({ paymentHash, amountMsats, account, keysend: { preimage, records } })
    await ('failure' in plan ? lnd.cancelInvoice(paymentHash) : lnd.settleInvoice(preimage))
  }

  return ({ paymentHash }) => {
    if (undecided.has(paymentHash) || undecided.size >= MAX_UNDECIDED) return
    undecided.add(paymentHash)
    decide(paymentHash)
      .catch((error: unknown) => log.warn({ error, paymentHash }, 'nothing was decided about a keysend'))
      .finally(() => undecided.delete(paymentHash))
  }
}
