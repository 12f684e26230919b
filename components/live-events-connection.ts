import type { LiveEvent } from '@/lib/events/live-event'

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
/** Kept for tabs that open later, and to pass each event once. */
const MAX_KEPT = 1_000

type Message = { readonly event: LiveEvent } | { readonly after: string }

/**
 * Opens the event stream of a browser. One visible tab holds the lock and the stream, and passes events to the other tabs. A hidden
 * tab gives the lock back, so no stream is open while all tabs are hidden. Returns the function that closes it.
 */
export function openLiveEvents(username: string, afterId: string, onEvent: (event: LiveEvent) => void): () => void {
  const name = `events ${username}`
  const channel = new BroadcastChannel(name)
  const kept = new Map<string, LiveEvent>()
  let lastId = afterId
  /** The streams of this tab began after this event, so `kept` holds every later one. */
  let keptAfterId = afterId
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let retryMs = FIRST_RETRY_MS
  let giveBack: AbortController | undefined

  function post(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has no target origin
    channel.postMessage(message)
  }

  function receive(event: LiveEvent): void {
    if (kept.has(event.id)) return
    kept.set(event.id, event)
    if (kept.size > MAX_KEPT) {
      const [oldest = keptAfterId] = kept.keys()
      kept.delete(oldest)
      keptAfterId = oldest
    }
    if (BigInt(event.id) > BigInt(lastId)) lastId = event.id
    onEvent(event)
  }

  function connect(): void {
    close()
    source = new EventSource(`/events?${new URLSearchParams({ user: username, after: lastId }).toString()}`)
    source.addEventListener('open', () => (retryMs = FIRST_RETRY_MS))
    source.addEventListener('message', ({ data }: MessageEvent<string>) => {
      const event = JSON.parse(data) as LiveEvent
      receive(event)
      post({ event })
    })
    source.addEventListener('error', () => {
      close()
      retry = setTimeout(connect, retryMs)
      retryMs = Math.min(retryMs * 2, MAX_RETRY_MS)
    })
  }

  function close(): void {
    clearTimeout(retry)
    source?.close()
    source = undefined
  }

  /** Holds the stream until the tab is hidden. Locks need a secure context; without one each tab has its own stream. */
  function join(): void {
    if (giveBack !== undefined) return
    const leaving = new AbortController()
    const { signal } = leaving
    giveBack = leaving
    post({ after: lastId })
    const hold = (): Promise<void> =>
      new Promise((resolve) => {
        connect()
        signal.addEventListener('abort', () => {
          close()
          resolve()
        })
      })
    const locks = navigator.locks as LockManager | undefined
    const held = locks === undefined ? hold() : locks.request(name, { signal }, hold)
    // The tab was hidden before it had the lock.
    held.catch(() => undefined)
  }

  function leave(): void {
    giveBack?.abort()
    giveBack = undefined
  }

  const follow = (): void => (document.visibilityState === 'visible' ? join() : leave())
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if ('event' in data) return receive(data.event)
    if (source === undefined) return
    // Another tab has opened and may have missed events. Those that this tab no longer has come with a new stream.
    if (BigInt(data.after) < BigInt(keptAfterId)) {
      lastId = keptAfterId = data.after
      return connect()
    }
    for (const event of kept.values()) if (BigInt(event.id) > BigInt(data.after)) post({ event })
  })
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    leave()
    channel.close()
  }
}
