import { cookies, headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import { setPageZone, ZONE_COOKIE } from '@/components/page-zone'
import { currentUser, sessionOfRequest, type CurrentUser } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { loginAddress } from '@/lib/web/login-address'
import { readTimeZone, UTC } from '@/lib/web/time'

/** Cached for one request, however many components call it. It also sets the time zone of the page. */
const userOfPage = cache(async () => {
  const user = await currentUser(application())
  const named = user?.timeZone ?? (await cookies()).get(ZONE_COOKIE)?.value
  setPageZone((named === undefined ? undefined : readTimeZone(named)) ?? UTC)
  return user
})

/** The signed-in user. Without one the browser is sent to sign in, and returns to the page afterwards. */
export async function requireUser(): Promise<CurrentUser> {
  const user = await userOfPage()
  if (user === null) {
    // The requested path, set by this server's own `proxy.ts`.
    const path = (await headers()).get('x-path') ?? undefined
    const app = application()
    const isSuspended = (await sessionOfRequest(app))?.suspended === true
    redirect(loginAddress(path, app.settings.publicOrigin, isSuspended ? 'Suspended' : undefined))
  }
  return user
}
