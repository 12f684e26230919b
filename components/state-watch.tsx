'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'

const EVERY_MS = 2_000

interface Props {
  /** Answers `{ "state": … }`. */
  readonly url: string
  /** The state that the page shows. */
  readonly state: string
}

/** Polls the state of what a page shows while the page is visible, and renders the page again when the state changes. */
export function StateWatch({ url, state }: Props) {
  const router = useRouter()
  useEffect(() => {
    const ask = async () => {
      if (document.visibilityState !== 'visible') return
      const now = await readState(url)
      if (now !== undefined && now !== state) router.refresh()
    }
    const askSoon = () => void ask()
    const timer = setInterval(askSoon, EVERY_MS)
    document.addEventListener('visibilitychange', askSoon)
    return () => {
      clearInterval(timer)
      document.removeEventListener('visibilitychange', askSoon)
    }
  }, [url, state, router])
  return null
}

/** Undefined when the server does not answer: the next poll may succeed. */
async function readState(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url)
    return response.ok ? ((await response.json()) as { state: string }).state : undefined
  } catch {
    return undefined
  }
}
