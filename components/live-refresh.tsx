'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef, useState, useTransition } from 'react'
import type { EventKind } from '@/lib/events/types'
import { useLiveEvents } from './live-events'
import { makeRefreshPace } from './refresh-pace'

const HIGHLIGHT_MS = 2_000

/**
 * Renders the page again after an event of these kinds, and highlights the elements whose `data-live` is new. Without a stream, the
 * page changes only when it is loaded again.
 */
export function LivePage({ kinds }: { readonly kinds: readonly EventKind[] }) {
  const router = useRouter()
  const [isRefreshing, startRefresh] = useTransition()
  const before = useRef<ReadonlySet<string> | undefined>(undefined)
  /** The kind of an event during the refresh, whose result may lack it. */
  const missing = useRef<EventKind | undefined>(undefined)
  const [pace] = useState(makeRefreshPace)

  function refresh(): void {
    before.current ??= new Set(liveElements().map(stateOf))
    startRefresh(() => router.refresh())
  }
  useLiveEvents(({ kind }) => {
    if (!kinds.includes(kind)) return
    if (!isRefreshing) pace.after(kind, refresh)
    else if (missing.current === undefined || kind !== 'api_call') missing.current = kind
  })
  useEffect(() => () => pace.stop(), [pace])
  useEffect(() => {
    if (isRefreshing || before.current === undefined) return
    const known = before.current
    before.current = undefined
    for (const element of liveElements()) if (!known.has(stateOf(element))) highlight(element)
    const kind = missing.current
    if (kind === undefined) return
    missing.current = undefined
    pace.after(kind, refresh)
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
