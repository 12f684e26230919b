import { getPostTransactionCallback } from '@uma-sdk/core'
import type { Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import type { Log } from '../../platform/log'
import { tracePayment } from '../../platform/trace'
import { toWireInteger } from '../../money/convert'
import { claimDue, markDelivered, markFailed, type DueCallback } from './callback-queue'
import { makeCallbackWalk } from './callback-walk'
import type { UmaKeys } from '../types'
import type { UmaFetch } from '../message-events'
import { deleteExpiredNonces } from '../messages/nonces'

const EVERY_MS = 2_000
const FORGET_EVERY_MS = 60_000
const AT_ONCE = 5
/** Half of the ten seconds after which another instance may take over a claimed callback. */
const ANSWER_MS = 5_000

export interface CallbackWorker {
  /**
   * Runs one round: queues new settlements, then sends due callbacks, five at a time. It starts callbacks for two
   * seconds and waits for those in progress. A failure in one part is logged and does not stop the others.
   */
  round(): Promise<void>
  /** Runs a round now, and each further one two seconds after the last one has ended. */
  keepRunning(): void
  /** Stops when the callbacks in progress have ended. */
  stop(): Promise<void>
}

interface Ports {
  readonly settings: { readonly vaspDomain: string }
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly keys: UmaKeys
  readonly fetch: UmaFetch
}

/**
 * Tells other VASPs which transactions settled a payment with them (UMAD-07), and repeats each callback until it is
 * accepted or the attempts are used up.
 */
export function makeCallbackWorker(ports: Ports): CallbackWorker {
  const { db, clock, log } = ports
  const walk = makeCallbackWalk(db)
  let forgotAt = 0
  let stopping = false
  let running: Promise<void> = Promise.resolve()

  async function round(): Promise<void> {
    const endsAt = msNow() + EVERY_MS
    await walk(() => !stopping && msNow() < endsAt).catch((error: unknown) =>
      log.error({ error }, 'settlements could not be read'),
    )
    await sendDue().catch((error: unknown) => log.error({ error }, 'UMA callbacks could not be sent'))
    await forgetNonces().catch((error: unknown) => log.error({ error }, 'old nonces could not be deleted'))
  }

  /** A server that never answers takes five seconds of a round, so callbacks for new settlements wait no longer. */
  async function sendDue(): Promise<void> {
    const begun = msNow()
    for (;;) {
      const due = await claimDue(db, AT_ONCE)
      await tell(due)
      if (due.length < AT_ONCE || stopping || msNow() - begun >= EVERY_MS) return
    }
  }

  async function forgetNonces(): Promise<void> {
    if (msNow() - forgotAt < FORGET_EVERY_MS) return
    forgotAt = msNow()
    await deleteExpiredNonces(ports)
  }

  const msNow = (): number => clock.now().getTime()

  /**
   * Sends the callbacks concurrently. Accepted ones are recorded together; a callback that is sent but not recorded is
   * sent again.
   */
  async function tell(callbacks: readonly DueCallback[]): Promise<void> {
    const problems = await Promise.all(
      callbacks.map((callback) => {
        const { paymentHash } = callback
        return tracePayment({ paymentHash }, () => deliver(ports, callback)).catch((error: unknown) => String(error))
      }),
    )
    for (const [index, { id, paymentHash, attempts }] of callbacks.entries()) {
      const problem = problems[index]
      if (problem === undefined) continue
      log.warn({ paymentHash, attempts, problem }, 'a UMA callback was not delivered')
      await markFailed(db, id, problem)
    }
    const heard = callbacks.filter((_, index) => problems[index] === undefined).map(({ id }) => id)
    if (heard.length > 0) await markDelivered(db, heard)
  }

  return {
    round,
    keepRunning() {
      const next = async (): Promise<void> => {
        running = round()
        await running
        if (!stopping) setTimeout(() => void next(), EVERY_MS).unref()
      }
      void next()
    },
    async stop() {
      stopping = true
      await running
    },
  }
}

/** Signs each attempt again, because a nonce is accepted only once. Returns undefined when the callback was accepted. */
async function deliver(
  ports: Ports,
  { paymentHash, username, url, amountMsats }: DueCallback,
): Promise<string | undefined> {
  const { settings, keys, fetch } = ports
  const message = await getPostTransactionCallback({
    // The sandbox's Lightning node has no on-chain transactions: the payment itself is the settlement.
    utxos: [{ utxo: `${paymentHash}:0`, amountMsats: toWireInteger(amountMsats) }],
    vaspDomain: settings.vaspDomain,
    signingPrivateKey: keys.signing.secret,
  })
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
    totalMs: ANSWER_MS,
    ...(username === null ? {} : { owner: { userId: username, paymentHash } }),
    // The other VASP keeps only the first callback about a payment.
    isIdempotent: true,
  })
  return status >= 200 && status < 300 ? undefined : `answered with ${status}`
}
