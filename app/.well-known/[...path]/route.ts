import { routeHandlers } from 'uma-auth-vasp/next'
import { application } from '@/lib/backend/application'
import { makeUmaServer } from '@/lib/uma/server/server'

export const dynamic = 'force-dynamic'

/** Lightning Addresses and UMA keys, from the server of `/uma`. Browsers of any origin may read its JSON 404. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routeHandlers({
  fetch: (request) => makeUmaServer(application())(request),
})
