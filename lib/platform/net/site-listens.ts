import { connect } from 'node:net'
import { processSingletons } from '../process-singletons'

/** A refused connection fails at once; only a silent address takes this long. */
const PATIENCE_MS = 1_000
/** How long an answer is used again, so that page views open no connections. */
const REMEMBERED_MS = 2_000

interface Attempt {
  readonly listens: Promise<boolean>
  /** On the clock of `performance.now()`. Undefined while the attempt is in progress. */
  endedAtMs?: number
}

/**
 * Whether a program listens at the address of the gateway or the shop, so that no page of a sandbox links to an address without a
 * server: the demo may run without its simulator. Opens a connection and sends nothing. Concurrent callers share one attempt, and its
 * answer is used for two seconds.
 * @param site from the settings, which limits the number of answers that are kept.
 */
export function siteListens(site: URL): Promise<boolean> {
  const key = `site-listens ${site.host}`
  const last = processSingletons().get(key) as Attempt | undefined
  const isCurrent = last?.endedAtMs === undefined || performance.now() - last.endedAtMs < REMEMBERED_MS
  if (last !== undefined && isCurrent) return last.listens
  const attempt: Attempt = { listens: tryToConnect(site) }
  processSingletons().set(key, attempt)
  void attempt.listens.then(() => (attempt.endedAtMs = performance.now()))
  return attempt.listens
}

function tryToConnect({ hostname, port, protocol }: URL): Promise<boolean> {
  const socket = connect({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (protocol === 'https:' ? 443 : 80)),
  })
  return new Promise((resolve) => {
    const done = (listens: boolean): void => {
      socket.destroy()
      resolve(listens)
    }
    socket.setTimeout(PATIENCE_MS, () => done(false))
    socket.once('connect', () => done(true))
    socket.once('error', () => done(false))
  })
}
