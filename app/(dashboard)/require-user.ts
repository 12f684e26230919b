import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import { setPageEventId } from '@/components/page-event'
import { setPageZone, ZONE_COOKIE } from '@/components/page-zone'
import type { CurrentUser } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { frameOfRequest, type Frame } from '@/lib/web/frame'
import { loginAddress } from '@/lib/web/login-address'
import { readTimeZone, UTC } from '@/lib/web/time'

/** Read once for each request, however many components call it. It also sets the time zone and the event of the page. */
export const pageFrame = cache(async () => {
  const frame = await frameOfRequest(application())
  const chosen = frame === null || frame === 'suspended' ? undefined : frame.user.timeZone
  const named = chosen ?? (await cookies()).get(ZONE_COOKIE)?.value
  if (frame !== null && frame !== 'suspended') setPageEventId(frame.newestEventId)
  setPageZone((named === undefined ? undefined : readTimeZone(named)) ?? UTC)
  return frame
})

/** The frame of the signed-in user's page. Without a user the browser is sent to sign in, and returns to the page afterwards. */
export async function requireFrame(): Promise<Frame> {
  const frame = await pageFrame()
  if (frame !== null && frame !== 'suspended') return frame
  // The requested path, set by this server's own `proxy.ts`.
  const path = (await headers()).get('x-path') ?? undefined
  const reason = frame === 'suspended' ? 'Suspended' : undefined
  return redirect(loginAddress(path, application().settings.publicOrigin, reason))
}

/** The signed-in user. Without one the browser is sent to sign in. */
export async function requireUser(): Promise<CurrentUser> {
  return (await requireFrame()).user
}
