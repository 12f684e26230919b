'use client'

import { useEffect, useState } from 'react'
import { freshNews, type Fresh } from './fresh-news'
import { anchorOf } from './questions'

const EVERY_MS = 5_000

interface Seen {
  readonly connections: readonly Fresh[]
  /** When they were asked for, in milliseconds since 1970. */
  readonly atMs: number
}

/**
 * New connections, on every page of their owner: a login token that was stolen on its way shows here at once. One line
 * however many they are. Asked for again every few seconds while the page is seen, and not while it is hidden.
 */
export function FreshNotice({ initial }: { readonly initial: Seen }) {
  const [{ connections, atMs }, setSeen] = useState(initial)
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === 'visible')
        void readFresh().then((fresh) => fresh === undefined || setSeen({ connections: fresh, atMs: Date.now() }))
    }
    const timer = setInterval(ask, EVERY_MS)
    // Coming back to the page is when somebody looks.
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [])
  const [newest] = connections
  return (
    <div aria-live="polite" className="not-empty:pt-4 not-empty:pb-6">
      {newest === undefined ? null : (
        <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-l-2 border-accent py-1 pl-3">
          <span className="min-w-0 break-words">
            <strong className="font-semibold">New in the last ten minutes:</strong> {freshNews(connections, atMs)}
          </span>
          <a className="tap" href={connections.length === 1 ? `/connections#${anchorOf(newest.id)}` : '/connections'}>
            {connections.length === 1 ? 'Look at it' : 'Look at them'}
          </a>
        </p>
      )}
    </div>
  )
}

/** Undefined when the server cannot be asked just now: the notice that stands is better than none. */
async function readFresh(): Promise<Fresh[] | undefined> {
  try {
    const response = await fetch('/connections/fresh')
    return response.ok ? ((await response.json()) as { connections: Fresh[] }).connections : undefined
  } catch {
    return undefined
  }
}
