import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox-form'
import { revokeConnection } from '@/lib/connections/service'
import { seeOther } from '@/lib/platform/http/page-answers'
import { shopConnections } from '../shop-connections'

/** Revokes the connections with which the shop is paid. */
export const POST = sandboxForm(z.object({}), async ({ app }) => {
  for (const { id: connectionId, username: userId } of await shopConnections(app))
    if (await revokeConnection(app.db, connectionId, userId))
      app.events.record({ kind: 'connection', name: 'connection revoked', userId, connectionId })
  return seeOther('/sandbox?unpaired=1#shop')
})
