import { WebSocket } from 'ws'
import type { Clock } from '../platform/clock'
import { setBounded } from '../platform/concurrency/bounded-map'
import { makeConcurrencyLimiter } from '../platform/concurrency/concurrency-limiter'
import { parseJson } from '../platform/parse-json'
import { appKeyOf } from './client-id'
import { IDENTITY_KIND, readIdentity, type AppIdentity } from './identity-event'

/** What apps call themselves, by their records on the relays of `IDENTITY_RELAYS`. */
export interface AppNames {
  /**
   * The name that the app with this client id has published, if it is known by now. Otherwise a lookup begins, and a later call knows
   * the name. Never waits.
   */
  nameOf(clientId: string | null): string | undefined
}

const MAX_APPS = 1_000
const KNOWN_MS = 3_600_000
/** An app that was not found, or whose relays did not answer, is looked up again after this time. */
const UNKNOWN_MS = 60_000
const PATIENCE_MS = 5_000
const MAX_MESSAGE_BYTES = 65_536
/** A relay that sends more messages is not waited for. */
const MAX_MESSAGES = 10

interface Known {
  readonly name: string | undefined
  readonly until: number
}

/** @param relays addresses of relays (`ws:` or `wss:`); the operator trusts them with the keys of the users' apps. */
export function makeAppNames(relays: readonly string[], clock: Clock): AppNames {
  if (relays.length === 0) return { nameOf: () => undefined }
  const known = new Map<string, Known>()
  const lookups = makeConcurrencyLimiter({ maxConcurrent: 4, maxQueued: 20 })

  async function look(appKey: string): Promise<void> {
    const found = await Promise.all(relays.map((relay) => askRelay(relay, appKey)))
    const newest = found.reduce((best, each) =>
      (each?.createdAtSeconds ?? -1) > (best?.createdAtSeconds ?? -1) ? each : best,
    )
    keep(appKey, newest?.name, newest === undefined ? UNKNOWN_MS : KNOWN_MS)
  }

  function keep(appKey: string, name: string | undefined, ms: number): void {
    setBounded(known, appKey, { name, until: clock.now().getTime() + ms }, MAX_APPS)
  }

  return {
    nameOf(clientId) {
      const appKey = clientId === null ? undefined : appKeyOf(clientId)
      if (appKey === undefined) return undefined
      const before = known.get(appKey)
      if (before !== undefined && before.until > clock.now().getTime()) return before.name
      // The old name stays until the lookup has ended, so that it begins once.
      keep(appKey, before?.name, UNKNOWN_MS)
      // With a full queue, a later call asks again.
      void lookups.run(() => look(appKey)).catch(() => known.delete(appKey))
      return before?.name
    },
  }
}

/** The newest valid identity of the app that the relay sends within five seconds; undefined for none, and for a relay that fails. */
function askRelay(relay: string, appKey: string): Promise<AppIdentity | undefined> {
  return new Promise((resolve) => {
    let best: AppIdentity | undefined
    let messages = 0
    const socket = new WebSocket(relay, { handshakeTimeout: PATIENCE_MS, maxPayload: MAX_MESSAGE_BYTES })
    const end = (): void => {
      clearTimeout(timer)
      socket.terminate()
      resolve(best)
    }
    const timer = setTimeout(end, PATIENCE_MS)
    timer.unref()
    socket.on('error', end)
    socket.on('close', end)
    socket.on('open', () => {
      socket.send(JSON.stringify(['REQ', 'identity', { authors: [appKey], kinds: [IDENTITY_KIND], limit: 1 }]))
    })
    socket.on('message', (data, isBinary) => {
      messages += 1
      const message: unknown = isBinary || messages > MAX_MESSAGES ? undefined : parseJson((data as Buffer).toString())
      if (!Array.isArray(message)) return end()
      const [kind, , event] = message as unknown[]
      if (kind !== 'EVENT') return kind === 'EOSE' || kind === 'CLOSED' ? end() : undefined
      const identity = readIdentity(event, appKey)
      if (identity !== undefined && identity.createdAtSeconds > (best?.createdAtSeconds ?? -1)) best = identity
    })
  })
}
