'use client'

import { useEffect, useState } from 'react'

interface Fresh {
  readonly id: string
  readonly name: string
  readonly appHost: string | null
  readonly createdAt: string
}

const EVERY_MS = 5_000

/**
 * New connections, on every page of their owner: a login token that was stolen on its way shows here at once. The list
 * is asked for again every few seconds while the page is seen, and not while it is hidden.
 */
export function FreshNotice({ initial }: { readonly initial: readonly Fresh[] }) {
  const [connections, setConnections] = useState(initial)
  useEffect(() => {
    const ask = () => {
      if (document.visibilityState === 'visible')
        void readFresh().then((fresh) => fresh === undefined || setConnections(fresh))
    }
    const timer = setInterval(ask, EVERY_MS)
    // Coming back to the page is when somebody looks.
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [])
  return (
    <div aria-live="polite" className="not-empty:pb-6">
      {connections.map((connection) => (
        <form
          key={connection.id}
          method="post"
          action="/connections/revoke"
          className="mt-4 flex flex-wrap items-center gap-x-4 gap-y-2 border-l-2 border-accent py-1 pl-3"
        >
          <input type="hidden" name="id" value={connection.id} />
          <p className="min-w-0 flex-1 break-words">
            <strong className="font-semibold">New in the last ten minutes:</strong> {connection.name}
            {connection.appHost === null || connection.appHost === connection.name
              ? ''
              : `, asked for by ${connection.appHost}`}
            . Was it you?
          </p>
          <button className="button button-grave" aria-label={`Revoke it: ${connection.name}`}>
            Revoke it
          </button>
        </form>
      ))}
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
