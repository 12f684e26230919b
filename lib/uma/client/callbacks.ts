import { getPostTransactionCallback } from '@uma-sdk/core'
import { toWireInteger } from '../../money/convert'
import type { Clock } from '../../platform/clock'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'
import type { Log } from '../../platform/log'
import { tracePayment } from '../../platform/trace'
import type { UmaFetch } from '../message-events'
import { deleteExpiredNonces } from '../nonces'
import type { UmaKeys } from '../types'

const EVERY_MS = 2_000
const FORGET_EVERY_MS = 60_000
const AT_ONCE = 5
const ANSWER_MS = 5_000
const MAX_TRIES = 5

interface DueCallback {
  readonly payment_hash: string
  readonly user_id: string
  readonly url: string
  readonly amount_msats: bigint
  readonly tries: number
}

/**
 * A settlement stores the row (`queue_uma_callback`). The tries begin 0 s, 20 s, 2 min, 10 min and 52 min after it. First tries
 * come before later ones. A try counts when it begins: no other instance begins one before the next time, which is later than
 * the answer may take, and the next time comes also after a crash.
 */
const CLAIM = statement<DueCallback>(
  'claim_uma_callbacks',
  `update uma_callbacks set tries = tries + 1,
          next_try_at = case when tries < ${MAX_TRIES - 1} then now() + interval '20 seconds' * power(5, tries) end
   where payment_hash in (select payment_hash from uma_callbacks where next_try_at <= now()
                          order by tries, next_try_at limit $1 for update skip locked)
   returning payment_hash, user_id, url, amount_msats, tries`,
)
const ACCEPTED = statement('uma_callback_accepted', `delete from uma_callbacks where payment_hash = any ($1::text[])`)

export interface CallbackWorker {
  /**
   * Sends due callbacks, five at a time. It starts callbacks for two seconds and waits for those in progress. A failure in one
   * part is logged and does not stop the others.
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
 * accepted or the tries are used up.
 */
export function makeCallbackWorker(ports: Ports): CallbackWorker {
  const { db, clock, log } = ports
  let forgotAt = 0
  let stopping = false
  let running: Promise<void> = Promise.resolve()

  async function round(): Promise<void> {
    await sendDue().catch((error: unknown) => log.error({ error }, 'UMA callbacks could not be sent'))
    await forgetNonces().catch((error: unknown) => log.error({ error }, 'old nonces could not be deleted'))
  }

  /** A server that never answers takes five seconds of a round, so callbacks for new settlements wait no longer. */
  async function sendDue(): Promise<void> {
    const begun = msNow()
    for (;;) {
      const due = await db.query(CLAIM, [AT_ONCE])
      const told = await Promise.all(due.map((callback) => isAccepted(ports, callback)))
      const accepted = due.filter((_, index) => told[index]).map(({ payment_hash: hash }) => hash)
      if (accepted.length > 0) await db.query(ACCEPTED, [accepted])
      if (due.length < AT_ONCE || stopping || msNow() - begun >= EVERY_MS) return
    }
  }

  async function forgetNonces(): Promise<void> {
    if (msNow() - forgotAt < FORGET_EVERY_MS) return
    forgotAt = msNow()
    await deleteExpiredNonces(ports)
  }

  const msNow = (): number => clock.now().getTime()

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

function isAccepted(ports: Ports, callback: DueCallback): Promise<boolean> {
  const { payment_hash: paymentHash, tries } = callback
  return tracePayment({ paymentHash }, async () => {
    const problem = await send(ports, callback).catch((error: unknown) => String(error))
    if (problem !== undefined) ports.log.warn({ paymentHash, tries, problem }, 'a UMA callback was not delivered')
    return problem === undefined
  })
}

/** Signs each try again, because a nonce is accepted only once. Returns undefined when the callback was accepted. */
async function send(
  { settings, keys, fetch }: Ports,
  { payment_hash: paymentHash, user_id: userId, url, amount_msats: amountMsats }: DueCallback,
): Promise<string | undefined> {
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
    owner: { userId, paymentHash },
    // A callback moves no money, so the other VASP may receive it twice.
    isIdempotent: true,
  })
  return status >= 200 && status < 300 ? undefined : `answered with ${status}`
}
