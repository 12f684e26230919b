import type { CurrentUser } from '@/lib/accounts/sessions/current-user'
import type { SessionUser } from '@/lib/accounts/sessions/session-store'

/** The signed-in user of a page whose `requireUser` a test replaces. */
export function pageUser(username: string): CurrentUser {
  return { username, displayName: username, address: `$${username}@x`, sessionId: 'session', temporary: false }
}

/** The open session of the same user, for a form whose `sessionOfRequest` a test replaces. */
export function pageSession(username: string): { readonly sessionId: string } & SessionUser {
  return {
    sessionId: 'session',
    username,
    displayName: username,
    suspended: false,
    temporary: false,
    currencyCodes: ['USD'],
  }
}
