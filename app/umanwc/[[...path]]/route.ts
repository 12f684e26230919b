import { routeHandlers } from 'uma-auth-vasp/next'
import { vasp } from '@/lib/backend/vasp'

export const dynamic = 'force-dynamic'

/** The gateway API for `next dev` and any other Next server. `server.js` mounts the same VASP in front of Next. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routeHandlers({
  fetch: (request) => vasp().fetch(request),
})
