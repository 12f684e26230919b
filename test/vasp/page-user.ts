import type { CurrentUser } from '@/lib/accounts/sessions/current-user'

/** The signed-in user of a page whose `requireUser` a test replaces. */
export function pageUser(username: string): CurrentUser {
  return { username, displayName: username, address: `$${username}@x`, sessionId: 'session', temporary: false }
}
