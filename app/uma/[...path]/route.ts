import { routeHandlers } from 'uma-auth-vasp/next'
import { application } from '@/lib/backend/application'
import { makeUmaServer } from '@/lib/uma/server/server'

export const dynamic = 'force-dynamic'

/** The calls of other VASPs, for `next dev` and any other Next server. `server.js` mounts the same function in front of Next. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routeHandlers({
  fetch: (request) => makeUmaServer(application())(request),
})
