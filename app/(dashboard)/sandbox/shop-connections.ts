import type { Application } from '@/lib/backend/application'
import { listReceivingConnections, type ReceivingConnection } from '@/lib/connections/queries'
import { listDeskUsers, type DeskUser } from '@/lib/sandbox/users/sandbox-page'

/** The connections through which the shop is paid into wallets of the desk's users, newest first. */
export async function shopConnections(
  app: Application,
  users?: readonly DeskUser[],
): Promise<readonly ReceivingConnection[]> {
  const { sampleAppUrl } = app.settings
  if (sampleAppUrl === undefined) return []
  const usernames = (users ?? (await listDeskUsers(app))).map(({ username }) => username)
  return listReceivingConnections(app, new URL(sampleAppUrl).host, usernames)
}
