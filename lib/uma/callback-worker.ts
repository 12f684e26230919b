import { getPostTransactionCallback } from '@uma-sdk/core'
import type { Clock } from '../clock'
import type { Database } from '../db/database'
import type { Log } from '../log'
import { toWireInteger } from '../money/convert'
import type { GuardedFetch } from '../net/guarded-fetch'
import { claimDue, enqueueSettled, markDelivered, markFailed, type DueCallback } from './callback-queue'
import type { UmaKeys } from './keys'
import { forgetOldNonces } from './nonces'

const EVERY_MS = 2_000
const FORGET_EVERY_MS = 60_000
const AT_ONCE = 5
/** Half of the ten seconds after which another instance may take up what was claimed. */
const ANSWER_MS = 5_000
/** How far back a new process looks for what another left behind; after that, a minute more than the time since the last look. */
const FIRST_LOOK_SECONDS = 3 * 86_400
const SLACK_SECONDS = 60

export interface CallbackWorker {
  /** One round: what was settled is queued, and what is due is told, five at once, for two seconds and what is begun then. */
  round(): Promise<void>
  /** From now on every two seconds. */
  keepRunning(): void
  /** Ends after those that are being told. */
  stop(): Promise<void>
}

interface Ports {
  readonly settings: { readonly vaspDomain: string }
  readonly db: Database
  readonly clock: Clock
  readonly log: Log
  readonly keys: UmaKeys
  readonly fetch: GuardedFetch
}

/** Tells other VASPs what settled a payment with them (UMAD-07), again and again until they have heard it or time is up. */
export function makeCallbackWorker(ports: Ports): CallbackWorker {
  const { db, clock, log } = ports
  let lookedAt: number | undefined
  let forgotAt = 0
  let stopping = false
  let underWay: Promise<void> = Promise.resolve()

  async function round(): Promise<void> {
    const now = clock.now().getTime()
    const seconds = lookedAt === undefined ? FIRST_LOOK_SECONDS : Math.ceil((now - lookedAt) / 1000) + SLACK_SECONDS
    await enqueueSettled(db, seconds)
    lookedAt = now
    // A server that never answers takes five seconds of each round, and keeps nothing new from being queued for longer.
    for (;;) {
      const due = await claimDue(db, AT_ONCE)
      await tell(due)
      if (due.length < AT_ONCE || stopping || clock.now().getTime() - now >= EVERY_MS) break
    }
    if (now - forgotAt < FORGET_EVERY_MS) return
    forgotAt = now
    await forgetOldNonces(ports)
  }

  /** All at once. What was heard is written down together; one that is told and not written down is told again. */
  async function tell(callbacks: readonly DueCallback[]): Promise<void> {
    const problems = await Promise.all(
      callbacks.map((callback) => deliver(ports, callback).catch((error: unknown) => String(error))),
    )
    for (const [index, { id, paymentHash, attempts }] of callbacks.entries()) {
      const problem = problems[index]
      if (problem === undefined) continue
      log.warn({ paymentHash, attempts, problem }, 'a UMA callback was not heard')
      await markFailed(db, id, problem)
    }
    const heard = callbacks.filter((_, index) => problems[index] === undefined).map(({ id }) => id)
    if (heard.length > 0) await markDelivered(db, heard)
  }

  return {
    round,
    keepRunning() {
      const next = async (): Promise<void> => {
        underWay = round().catch((error: unknown) => log.error({ error }, 'UMA callbacks could not be looked at'))
        await underWay
        if (!stopping) setTimeout(() => void next(), EVERY_MS).unref()
      }
      void next()
    },
    async stop() {
      stopping = true
      await underWay
    },
  }
}

/** Signed afresh each time, since a nonce is taken once. Undefined when it was heard. */
async function deliver(ports: Ports, { paymentHash, url, amountMsats }: DueCallback): Promise<string | undefined> {
  const { settings, keys, fetch } = ports
  const message = await getPostTransactionCallback({
    // The sandbox's Lightning has no transactions of its own to name: what settled it is the payment.
    utxos: [{ utxo: `${paymentHash}:0`, amountMsats: toWireInteger(amountMsats) }],
    vaspDomain: settings.vaspDomain,
    signingPrivateKey: keys.signing.secret,
  })
  const { status } = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(message),
    totalMs: ANSWER_MS,
    // The first word about a payment stays.
    isDoneOnce: true,
  })
  return status >= 200 && status < 300 ? undefined : `answered with ${status}`
}
