import type { Log } from '../../platform/log'
import type { NodeEvent } from '../node'

type Listener = (event: NodeEvent) => Promise<void>

/** The listeners of the node's events: received payments and ended sends. */
export interface Listeners {
  add(listener: Listener): () => void
  removeAll(): void
  /** Returns immediately. A listener that rejects is called again, with growing pauses. */
  tell(event: NodeEvent): void
}

/** An event is dropped after this many failed calls: the node's tables keep its content, and `track` returns a send's outcome. */
const MAX_CALLS = 8
const FIRST_PAUSE_MS = 100

export function makeListeners(log: Log): Listeners {
  const listeners = new Set<Listener>()
  async function notify(listener: Listener, event: NodeEvent, calls = 1): Promise<void> {
    try {
      await listener(event)
    } catch (error) {
      log.error({ error, calls }, 'a listener of the Lightning node failed')
      if (calls === MAX_CALLS) return
      const retry = (): void => void (listeners.has(listener) && notify(listener, event, calls + 1))
      setTimeout(retry, FIRST_PAUSE_MS * 2 ** (calls - 1)).unref()
    }
  }
  return {
    add(listener) {
      // The same function may be added twice; each addition is removed separately.
      const own: Listener = (event) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    removeAll: () => listeners.clear(),
    tell(event) {
      for (const listener of listeners) void notify(listener, event)
    },
  }
}
