import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { revokeConnection } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/responses'
import { spendingConnections } from '@/lib/sandbox/show/shop-places'

const Revoke = z.object({
  /** Whether the page shows the calls. */
  calls: z.literal('shown').optional(),
})

/** Revokes the connections with which the shop spends the user's money. */
export const POST = sandboxForm(Revoke, async ({ app, username: userId, fields: { calls } }) => {
  for (const { id: connectionId } of await spendingConnections(app, userId))
    if (await revokeConnection(app.db, connectionId, userId))
      app.events.record({ kind: 'connection', name: 'connection revoked', userId, connectionId })
  return seeOther(`/show?${calls === undefined ? '' : 'calls=shown&'}revoked=1#revoked`)
})
