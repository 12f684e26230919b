'use client'

import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import type { LiveEvent } from '@/lib/events/live-event'
import { openLiveEvents } from './live-events-connection'

type Subscribe = (onEvent: (event: LiveEvent) => void) => () => void

/** Undefined where no stream exists. */
const Live = createContext<Subscribe | undefined>(undefined)

interface Props {
  readonly username: string
  /** The newest event when the page was rendered. Undefined with `SANDBOX_TOOLS=off`: no stream is opened. */
  readonly afterId: string | undefined
  readonly children: ReactNode
}

/** Passes the events of the user to the pages inside. */
export function LiveEvents({ username, afterId, children }: Props) {
  const listeners = useRef(new Set<(event: LiveEvent) => void>())
  const [firstId] = useState(afterId)
  const [subscribe] = useState<Subscribe>(() => (onEvent: (event: LiveEvent) => void) => {
    listeners.current.add(onEvent)
    return () => void listeners.current.delete(onEvent)
  })
  useEffect(() => {
    if (firstId === undefined) return
    return openLiveEvents(username, firstId, (event) => {
      for (const onEvent of listeners.current) onEvent(event)
    })
  }, [username, firstId])
  return <Live.Provider value={firstId === undefined ? undefined : subscribe}>{children}</Live.Provider>
}

/** Calls `onEvent` for each event of the user. Returns false where no stream exists, so that the caller polls. */
export function useLiveEvents(onEvent: (event: LiveEvent) => void): boolean {
  const subscribe = useContext(Live)
  const latest = useRef(onEvent)
  useEffect(() => {
    latest.current = onEvent
  })
  useEffect(() => subscribe?.((event) => latest.current(event)), [subscribe])
  return subscribe !== undefined
}
