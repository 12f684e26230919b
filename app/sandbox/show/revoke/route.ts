import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { revokeConnection } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/responses'
import { spendingConnections } from '@/lib/sandbox/show/shop-places'

/** Revokes the connections with which the shop spends the user's money. */
export const POST = sandboxForm(z.object({}), async ({ app, username: userId }) => {
  for (const { id: connectionId } of await spendingConnections(app, userId))
    if (await revokeConnection(app.db, connectionId, userId))
      app.events.record({ kind: 'connection', name: 'connection revoked', userId, connectionId })
  return seeOther('/show?revoked=1#revoked')
})
