import type { Log } from '../../platform/log'
import type { NodeEvent } from '../node'

type Listener = (event: NodeEvent) => Promise<void>

/** Those who want to hear what the node has received and how its sends ended. */
export interface Listeners {
  add(listener: Listener): () => void
  removeAll(): void
  /** Returns at once. A listener that rejects is called again, with growing pauses. */
  tell(event: NodeEvent): void
}

/** What an event says is in the node's own tables, and `track` returns it: after so many calls it is dropped. */
const MOST_CALLS = 8
const FIRST_PAUSE_MS = 100

export function makeListeners(log: Log): Listeners {
  const listeners = new Set<Listener>()
  async function tellOne(listener: Listener, event: NodeEvent, calls = 1): Promise<void> {
    try {
      await listener(event)
    } catch (error) {
      log.error({ error, calls }, 'a listener of the Lightning node failed')
      if (calls === MOST_CALLS) return
      const retry = (): void => void (listeners.has(listener) && tellOne(listener, event, calls + 1))
      setTimeout(retry, FIRST_PAUSE_MS * 2 ** (calls - 1)).unref()
    }
  }
  return {
    add(listener) {
      // The same function may listen twice, and each of the two ends by itself.
      const own: Listener = (event) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    removeAll: () => listeners.clear(),
    tell(event) {
      for (const listener of listeners) void tellOne(listener, event)
    },
  }
}
