import { routeHandlers } from 'uma-auth-vasp/next'
import { protocol } from '@/lib/backend/protocol'

export const dynamic = 'force-dynamic'

/** The gateway API for `next dev` and any other Next server. `server.js` mounts the same VASP in front of Next. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routeHandlers({
  fetch: (request) => protocol().fetch(request),
})
