import type { Log } from '../../log'
import type { NodeEvent } from '../node'

type Listener = (event: NodeEvent) => Promise<void>

/** Those who want to hear what the node has received and how its sends ended. */
export interface Listeners {
  add(listener: Listener): () => void
  /** Returns at once: nobody waits for a listener, and its failure is logged and harms nobody. */
  tell(event: NodeEvent): void
}

export function makeListeners(log: Log): Listeners {
  const listeners = new Set<Listener>()
  async function tellOne(listener: Listener, event: NodeEvent): Promise<void> {
    try {
      await listener(event)
    } catch (error) {
      log.error({ error }, 'a listener of the Lightning node failed')
    }
  }
  return {
    add(listener) {
      // The same function may listen twice, and each of the two ends by itself.
      const own: Listener = (event) => listener(event)
      listeners.add(own)
      return () => void listeners.delete(own)
    },
    tell(event) {
      for (const listener of listeners) void tellOne(listener, event)
    },
  }
}
