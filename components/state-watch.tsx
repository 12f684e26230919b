'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { useLiveEvents } from './live-events'

const EVERY_MS = 2_000
/** Beside a stream, which does not report that an invoice has expired. */
const EVERY_MS_WITH_STREAM = 15_000

interface Props {
  /** Answers `{ "state": … }`. */
  readonly url: string
  /** The state that the page shows. */
  readonly state: string
}

/**
 * Polls the state that a page shows while the page is visible, and renders the page again when the state changes. With a stream
 * of events `LivePage` does that, and the poll is slow.
 */
export function StateWatch({ url, state }: Props) {
  const router = useRouter()
  const isLive = useLiveEvents(ignore)
  useEffect(() => {
    const ask = async () => {
      if (document.visibilityState !== 'visible') return
      const now = await readState(url)
      if (now !== undefined && now !== state) router.refresh()
    }
    const askSoon = () => void ask()
    const timer = setInterval(askSoon, isLive ? EVERY_MS_WITH_STREAM : EVERY_MS)
    document.addEventListener('visibilitychange', askSoon)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', askSoon)
    }
  }, [url, state, router, isLive])
  return null
}

/** `LivePage` handles the events. */
function ignore(): void {}

/** Undefined when the server does not answer: the next poll may succeed. */
async function readState(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url)
    return response.ok ? ((await response.json()) as { state: string }).state : undefined
  } catch {
    return undefined
  }
}
