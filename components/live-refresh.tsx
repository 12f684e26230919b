'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState, useTransition } from 'react'
import type { EventKind } from '@/lib/events/types'
import { useLiveEvents, useNewestEvents } from './live-events'
import { makeRefreshPace } from './refresh-pace'

const HIGHLIGHT_MS = 2_000

interface Props {
  readonly kinds: readonly EventKind[]
  /** The newest event when the page was rendered. */
  readonly afterId: string
}

/**
 * Renders the page again after an event of these kinds, and highlights the elements whose `data-live` is new. An event that arrived
 * while the page was being rendered counts too: the page may lack it.
 */
export function LiveRefresh({ kinds, afterId }: Props) {
  const router = useRouter()
  const [isRefreshing, startRefresh] = useTransition()
  const before = useRef<ReadonlySet<string> | undefined>(undefined)
  /** The page was rendered, or is being rendered, after this event. */
  const shownId = useRef(BigInt(afterId))
  const [pace] = useState(makeRefreshPace)
  const newest = useNewestEvents()

  function refresh(): void {
    before.current ??= new Set(liveElements().map(stateOf))
    for (const id of newest.values()) if (id > shownId.current) shownId.current = id
    startRefresh(() => router.refresh())
  }
  function follow(): void {
    const missing = kinds.filter((kind) => (newest.get(kind) ?? 0n) > shownId.current)
    const kind = missing.find((each) => each !== 'api_call') ?? missing[0]
    if (kind !== undefined) pace.after(kind, refresh)
  }
  useLiveEvents(() => {
    if (!isRefreshing) follow()
  })
  useEffect(() => () => pace.stop(), [pace])
  useEffect(() => {
    if (isRefreshing) return
    const known = before.current
    before.current = undefined
    if (known !== undefined) for (const element of liveElements()) if (!known.has(stateOf(element))) highlight(element)
    follow()
  })
  return null
}

function liveElements(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>('[data-live]')]
}

function stateOf(element: HTMLElement): string {
  return element.dataset.live ?? ''
}

/** The highlight fades, or disappears at once for users who prefer reduced motion. */
function highlight(element: HTMLElement): void {
  const easing = matchMedia('(prefers-reduced-motion: reduce)').matches ? 'step-end' : 'ease-in'
  // Faint enough for the contrast of muted text.
  const ground = 'color-mix(in srgb, var(--color-accent) 8%, transparent)'
  element.animate(
    { backgroundColor: [ground, 'transparent'], boxShadow: ['-4px 0 0 var(--color-accent)', '-4px 0 0 transparent'] },
    { duration: HIGHLIGHT_MS, easing },
  )
}
