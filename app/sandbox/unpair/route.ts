import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { revokeConnection } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/responses'
import { shopConnections } from '../../(dashboard)/sandbox/shop-connections'

/** Revokes the connections with which the shop is paid. */
export const POST = sandboxForm(z.object({}), async ({ app }) => {
  // The page lists the newest ones only.
  for (let listed = await shopConnections(app); listed.length > 0; listed = await shopConnections(app))
    for (const { id: connectionId, username: userId } of listed)
      if (await revokeConnection(app.db, connectionId, userId))
        app.events.record({ kind: 'connection', name: 'connection revoked', userId, connectionId })
  return seeOther('/sandbox?unpaired=1#shop')
})
