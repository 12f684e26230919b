'use client'

import { useRouter } from 'next/navigation'
import { useEffect, useRef } from 'react'
import { useLiveEvents } from '@/components/live-events'
import type { EventKind } from '@/lib/events/types'

const CONTACT_KINDS: readonly EventKind[] = ['discovery', 'login', 'token_exchange', 'api_call']
/** A gateway may cause many events at once: they are read together. */
const WAIT_MS = 100

/** Renders the page again when a gateway was seen. */
export function RefreshOnContact() {
  const router = useRouter()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useLiveEvents(({ kind }) => {
    if (!CONTACT_KINDS.includes(kind) || timer.current !== undefined) return
    timer.current = setTimeout(() => {
      timer.current = undefined
      router.refresh()
    }, WAIT_MS)
  })
  useEffect(() => () => clearTimeout(timer.current), [])
  return null
}
