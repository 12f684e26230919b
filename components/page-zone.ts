import { cache } from 'react'
import { UTC } from '@/lib/web/time'

/** Of the page that is being rendered. Outside of a page it is new at each call, so times are in UTC. */
const ofPage = cache((): { zone: string } => ({ zone: UTC }))

/** The cookie in which the browser names its time zone (`learn-zone.tsx`). */
export const ZONE_COOKIE = 'zone'

/** The time zone of the page that is being rendered: the user's choice, else that of the browser, else UTC. */
export function pageZone(): string {
  return ofPage().zone
}

/** Sets the zone for the rest of the page. `requireUser` calls it before the page reads anything. */
export function setPageZone(zone: string): void {
  ofPage().zone = zone
}
