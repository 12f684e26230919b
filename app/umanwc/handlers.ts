import { routeHandlers } from 'uma-auth-vasp/next'
import { protocol } from '@/lib/backend/protocol'

/**
 * The gateway API for `next dev` and any other Next server. `server.js` mounts the same VASP in front of Next. Every file below exports
 * all methods, because the VASP's own router answers 404, 405 and HEAD.
 */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routeHandlers({
  fetch: (request) => protocol().fetch(request),
})
