import type { EventKind } from '@/lib/events/types'

/** One action causes several events. The page is refreshed once for all of them. */
const GATHER_MS = 40
/** An app may call a hundred times a second, and each refresh renders the page on the server. */
const CALLS_MS = 1_000

export interface RefreshPace {
  /** Refreshes soon after an event, but after an API call no sooner than a second after the last refresh. */
  after(kind: EventKind, refresh: () => void): void
  stop(): void
}

export function makeRefreshPace(): RefreshPace {
  let lastMs = -Infinity
  let due: { readonly atMs: number; readonly timer: ReturnType<typeof setTimeout> } | undefined

  function stop(): void {
    clearTimeout(due?.timer)
    due = undefined
  }
  return {
    after(kind, refresh) {
      const nowMs = Date.now()
      const atMs = Math.max(nowMs + GATHER_MS, kind === 'api_call' ? lastMs + CALLS_MS : 0)
      if (due !== undefined && due.atMs <= atMs) return
      stop()
      const run = (): void => {
        due = undefined
        lastMs = Date.now()
        refresh()
      }
      due = { atMs, timer: setTimeout(run, atMs - nowMs) }
    },
    stop,
  }
}
