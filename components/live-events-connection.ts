import type { LiveEvent } from '@/lib/events/live-event'

const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 30_000
/** Events kept for tabs that open later, and to pass each event only once. */
const MAX_KEPT = 1_000

type Message = { readonly event: LiveEvent } | { readonly after: string }

/**
 * Opens the event stream of a browser. One visible tab holds the lock and the stream, and passes events to the other tabs. A hidden
 * tab gives the lock back, so no stream is open while all tabs are hidden. A tab passes each event to its page once, and no event that
 * the page already had when it was loaded. Returns the function that closes it.
 */
export function openLiveEvents(username: string, afterId: string, onEvent: (event: LiveEvent) => void): () => void {
  const name = `events ${username}`
  const channel = new BroadcastChannel(name)
  const kept = new Map<string, LiveEvent>()
  /** The page has every event up to this one. It has those of `kept` as well. */
  let hadId = BigInt(afterId)
  /** The stream continues after this event. */
  let cursor = hadId
  let isHolder = false
  let source: EventSource | undefined
  let retry: ReturnType<typeof setTimeout> | undefined
  let retryMs = FIRST_RETRY_MS
  let giveBack: AbortController | undefined

  function post(message: Message): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel has no target origin
    channel.postMessage(message)
  }

  function receive(event: LiveEvent): void {
    const id = BigInt(event.id)
    if (id > cursor) cursor = id
    if (id <= hadId || kept.has(event.id)) return
    kept.set(event.id, event)
    if (kept.size > MAX_KEPT) {
      const [oldest = event.id] = kept.keys()
      kept.delete(oldest)
      if (BigInt(oldest) > hadId) hadId = BigInt(oldest)
    }
    onEvent(event)
  }

  function connect(): void {
    close()
    source = new EventSource(`/events?${new URLSearchParams({ user: username, after: `${cursor}` }).toString()}`)
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
    post({ after: `${cursor}` })
    const hold = (): Promise<void> =>
      new Promise((resolve) => {
        isHolder = true
        connect()
        signal.addEventListener('abort', () => {
          isHolder = false
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
    if (!isHolder) return
    // Another tab has opened and may have missed events. Events that this tab does not have arrive with a new stream.
    const after = BigInt(data.after)
    if (after < hadId) {
      if (after < cursor) cursor = after
      return connect()
    }
    for (const event of kept.values()) if (BigInt(event.id) > after) post({ event })
  })
  document.addEventListener('visibilitychange', follow)
  follow()
  return () => {
    document.removeEventListener('visibilitychange', follow)
    leave()
    channel.close()
  }
}
