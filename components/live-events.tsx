'use client'

import { createContext, useContext, useEffect, useRef, useState, type ReactNode } from 'react'
import type { LiveEvent } from '@/lib/events/live-event'
import type { EventKind } from '@/lib/events/types'
import { openLiveEvents } from './live-events-connection'

/** The newest event of each kind that has arrived. */
type NewestEvents = ReadonlyMap<EventKind, bigint>

interface Stream {
  readonly newest: NewestEvents
  subscribe(onEvent: (event: LiveEvent) => void): () => void
}

/** Undefined where no stream exists. */
const Live = createContext<Stream | undefined>(undefined)
const NO_EVENTS: NewestEvents = new Map()

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
  const [newest] = useState(() => new Map<EventKind, bigint>())
  const [stream] = useState<Stream>(() => ({
    newest,
    subscribe(onEvent) {
      listeners.current.add(onEvent)
      return () => void listeners.current.delete(onEvent)
    },
  }))
  useEffect(() => {
    if (firstId === undefined) return
    return openLiveEvents(username, firstId, (event) => {
      const id = BigInt(event.id)
      if (id > (newest.get(event.kind) ?? 0n)) newest.set(event.kind, id)
      for (const onEvent of listeners.current) onEvent(event)
    })
  }, [username, firstId, newest])
  return <Live.Provider value={firstId === undefined ? undefined : stream}>{children}</Live.Provider>
}

/** Calls `onEvent` for each event of the user. Returns false where no stream exists, so that the caller polls. */
export function useLiveEvents(onEvent: (event: LiveEvent) => void): boolean {
  const stream = useContext(Live)
  const latest = useRef(onEvent)
  useEffect(() => {
    latest.current = onEvent
  })
  useEffect(() => stream?.subscribe((event) => latest.current(event)), [stream])
  return stream !== undefined
}

/** Changes with each event, without rendering anything. */
export function useNewestEvents(): NewestEvents {
  return useContext(Live)?.newest ?? NO_EVENTS
}
