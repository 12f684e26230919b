import { getPublicKey, verifyEvent, type Event } from 'nostr-tools/pure'
import { RelayLink } from '../nostr/relay-link'
import { makeRoundRobin } from '../shared/round-robin'
import { infoEvent, readMessage, REQUEST_KIND, writeAnswer } from './message'
import { failure, type Outcome } from './outcome'
import { resolveOpenPayments } from './payments'
import { COMMAND_NAMES } from './requests'
import { carryOut, type WalletDeps } from './wallet'

export interface Service {
  readonly publicKey: string
  relayConnected(): boolean
  close(): void
}

const REMEMBERED_EVENTS = 5_000
/** Other relays may forget events, so the wallet's capabilities are published at intervals. */
const INFO_EVERY_MS = 60_000
const ASK_AGAIN_EVERY_MS = 15_000
const LATE_ANSWER_TRIES = 20
const LATE_ANSWER_EVERY_MS = 1_000
/**
 * Public relays commonly accept 64 kB; the sandbox's own accepts twice as much. A page of `GET /transactions` always
 * fits. The public gateway does not check: a refusal by its relay ends its process.
 */
const MAX_EVENT_BYTES = 60_000
const TOO_LARGE = failure('OTHER', 'The answer is too large for the relay. Use a smaller limit.')
/** Older requests are not carried out, because their app has stopped waiting. */
const OLDEST_REQUEST_SECONDS = 300
/** Running requests of each connection: more than any app waits for, but few enough to delay no other connection. */
const AT_ONCE = 16
/** Queued requests of each connection; the number that the VASP itself accepts in one burst. */
const MAX_QUEUED = 200
const TOO_MANY = failure('RATE_LIMITED', 'Too many requests from this connection. Wait for some answers first.')
/** The name of the queue that all senders without a connection share. */
const UNKNOWN_SENDERS = 'unknown senders'

/**
 * Serves NWC requests from the relay. Requests run independently, so a slow one delays no other. Each connection has a
 * queue, and the queues are served in turn, so that a connection with many requests does not delay the others: checking
 * signatures and encrypting is expensive.
 */
export function serve(deps: WalletDeps, secret: Uint8Array, relayUrl: string, log: (line: string) => void): Service {
  const publicKey = getPublicKey(secret)
  const seen = new Set<string>()
  const inFlight = new Set<string>()
  const roundRobin = makeRoundRobin<string>({ maxConcurrent: AT_ONCE, maxQueued: MAX_QUEUED })

  const link = new RelayLink(relayUrl, {
    filters: () => [{ kinds: [REQUEST_KIND], '#p': [publicKey], since: deps.nowSeconds() - OLDEST_REQUEST_SECONDS }],
    onEvent: queue,
    signatures: 'later',
    onConnected: announce,
  }).start()

  function announce(current: RelayLink): void {
    current
      .publish(infoEvent(secret, COMMAND_NAMES, deps.nowSeconds()))
      .catch((error: unknown) => log(`The relay did not accept the info event: ${String(error)}`))
  }

  function queue(event: Event): void {
    if (seen.has(event.id) || event.created_at < deps.nowSeconds() - OLDEST_REQUEST_SECONDS) return
    remember(event.id)
    const queueName = deps.store.connectionWhere((each) => each.appPublicKey === event.pubkey)?.id ?? UNKNOWN_SENDERS
    roundRobin.add(
      queueName,
      () => handle(event),
      () => refuse(event),
    )
  }

  async function refuse(event: Event): Promise<void> {
    const read = readMessage(event, secret, deps.nowSeconds())
    if (read === undefined) return
    await answer(event, TOO_MANY, 'request' in read ? read.request.command : read.command)
  }

  async function handle(event: Event): Promise<void> {
    if (!verifyEvent(event)) return void seen.delete(event.id)
    const read = readMessage(event, secret, deps.nowSeconds())
    if (read === undefined) return
    if ('answer' in read) return answer(event, read.answer, read.command)
    inFlight.add(event.id)
    try {
      await answer(event, await carryOutSafely(read.request), read.request.command)
    } finally {
      inFlight.delete(event.id)
    }
  }

  async function carryOutSafely(request: Parameters<typeof carryOut>[1]): Promise<Outcome> {
    try {
      return await carryOut(deps, request)
    } catch (error) {
      log(`${request.command} failed here: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
      return failure('INTERNAL', 'The gateway failed. This was not the app’s fault.')
    }
  }

  /** Retries for about 20 seconds, because the relay may come back. */
  async function answer(event: Event, outcome: Outcome, command: string | undefined): Promise<void> {
    const written = writeAnswer(event, secret, outcome, command, deps.nowSeconds())
    const reply =
      JSON.stringify(written).length <= MAX_EVENT_BYTES
        ? written
        : writeAnswer(event, secret, TOO_LARGE, command, deps.nowSeconds())
    for (let attempt = 0; attempt < LATE_ANSWER_TRIES; attempt++) {
      try {
        return await link.publish(reply)
      } catch {
        await new Promise((resolve) => setTimeout(resolve, LATE_ANSWER_EVERY_MS))
      }
    }
    log('An answer could not be sent, because no relay is connected. The app can ask again.')
  }

  function remember(id: string): void {
    seen.add(id)
    const [oldest] = seen
    if (seen.size > REMEMBERED_EVENTS && oldest !== undefined) seen.delete(oldest)
  }

  const askAgain = (): void => {
    resolveOpenPayments(deps, inFlight).catch((error: unknown) => log(`Open payments: ${String(error)}`))
  }
  const timers = [
    setInterval(() => link.isUp && announce(link), INFO_EVERY_MS),
    setInterval(askAgain, ASK_AGAIN_EVERY_MS),
  ]
  askAgain()

  return {
    publicKey,
    relayConnected: () => link.isUp,
    close() {
      for (const timer of timers) clearInterval(timer)
      link.stop()
    },
  }
}
