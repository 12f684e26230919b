import { headers } from 'next/headers'
import { redirect } from 'next/navigation'
import { cache } from 'react'
import { currentUser, sessionOfRequest, type CurrentUser } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { loginAddress } from '@/lib/web/login-address'

/** Cached for one request, however many components call it. */
const userOfPage = cache(() => currentUser(application()))

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
