import { cache } from 'react'
import { application } from '@/lib/backend/application'
import { findEvent } from '@/lib/events/queries'
import type { FullEvent } from '@/lib/events/types'
import { requireWireReader } from './wire-reader'

interface EventOfPage {
  readonly username: string
  /** Undefined for an event that does not exist or belongs to another user. */
  readonly event: FullEvent | undefined
}

/** The event with the id in a page's URL, for the signed-in user. Cached for one request, for the page and its title. */
export const eventOfPage = cache(async (id: string): Promise<EventOfPage> => {
  const reader = await requireWireReader()
  const event = /^\d{1,18}$/.test(id) ? await findEvent(application(), reader, BigInt(id)) : undefined
  return { username: reader.userId, event }
})
