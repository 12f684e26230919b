'use client'

import { usePathname, useRouter } from 'next/navigation'
import { useEffect, useRef, useState } from 'react'
import { connectionAnchor } from '@/lib/web/connection-links'
import { connectionNews, type NewConnection } from '@/lib/web/connection-news'
import { useLiveEvents } from './live-events'

const EVERY_MS = 5_000
/** Beside a stream, which does not report that a request has expired or that a connection is no longer new. */
const EVERY_MS_WITH_STREAM = 60_000
const CONNECTIONS = '/connections'
const REQUESTS = '/requests'
const NEWS_KINDS: ReadonlySet<string> = new Set(['connection', 'payment_request'])

interface News {
  readonly connections: readonly NewConnection[]
  /** Open requests for money. */
  readonly requests: number
}

interface Seen extends News {
  /** When they were read, in milliseconds since 1970. */
  readonly atMs: number
}

/**
 * New connections, on every page of their owner: so that a stolen login token is noticed at once. One line however many there are; a
 * second line for open requests for money. Updated after an event, or every few seconds without a stream, while the page
 * is visible. When the news changes the page is rendered again, so that the lists and the navigation follow.
 */
export function NewsBanner({ initial }: { readonly initial: Seen }) {
  const [{ connections, requests, atMs }, setSeen] = useState(initial)
  const router = useRouter()
  const path = usePathname()
  const shown = useRef(keyOf(initial))
  const read = useRef<() => void>(undefined)
  const isLive = useLiveEvents(({ kind }) => {
    // A payment may pay an open request, and changes no other news.
    if (NEWS_KINDS.has(kind) || (kind === 'payment' && requests > 0)) read.current?.()
  })
  useEffect(() => {
    const readNow = async () => {
      const news = document.visibilityState === 'visible' ? await readNews() : undefined
      if (news === undefined) return
      setSeen({ ...news, atMs: Date.now() })
      if (shown.current === keyOf(news)) return
      shown.current = keyOf(news)
      router.refresh()
    }
    const ask = () => void readNow()
    read.current = ask
    const timer = setInterval(ask, isLive ? EVERY_MS_WITH_STREAM : EVERY_MS)
    // Updates as soon as the user returns to the page.
    document.addEventListener('visibilitychange', ask)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', ask)
    }
  }, [router, isLive])
  const [newest] = connections
  return (
    <div aria-live="polite" className="grid gap-y-2 not-empty:pt-4 not-empty:pb-6 print:hidden">
      {newest === undefined ? null : (
        <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-l-2 border-accent py-1 pl-3">
          <span className="min-w-0 break-words">
            <strong className="font-semibold">New connection:</strong> {connectionNews(connections, atMs)}
          </span>
          <a
            className="tap"
            href={connections.length === 1 ? `${CONNECTIONS}#${connectionAnchor(newest.id)}` : CONNECTIONS}
          >
            Review
          </a>
        </p>
      )}
      {requests === 0 || path === REQUESTS ? null : (
        <p className="flex flex-wrap items-baseline gap-x-4 gap-y-1 border-l-2 border-accent py-1 pl-3">
          <span>
            {requests === 1 ? 'A request for money is waiting.' : `${requests} requests for money are waiting.`}
          </span>
          <a className="tap" href={REQUESTS}>
            Review
          </a>
        </p>
      )}
    </div>
  )
}

/** The part of the news that the lists and the navigation show. */
function keyOf({ connections, requests }: News): string {
  return [requests, ...connections.map(({ id }) => id)].join(' ')
}

/** Undefined when the server does not answer. The notice then stays unchanged. */
async function readNews(): Promise<News | undefined> {
  try {
    const response = await fetch('/connections/fresh')
    return response.ok ? ((await response.json()) as News) : undefined
  } catch {
    return undefined
  }
}
