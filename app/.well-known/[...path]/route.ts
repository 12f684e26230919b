import { application } from '@/lib/backend/application'
import { makeUmaServer } from '@/lib/uma/server/server'

export const dynamic = 'force-dynamic'

/**
 * What other VASPs and wallets ask below `/.well-known/`, for `next dev` and any other Next server; `server.js` mounts the same
 * function in front of Next. Every method: unknown documents get a short JSON 404 that browsers of any origin may read.
 */
function handle(request: Request): Promise<Response> {
  return makeUmaServer(application())(request)
}

export {
  handle as GET,
  handle as HEAD,
  handle as POST,
  handle as PUT,
  handle as PATCH,
  handle as DELETE,
  handle as OPTIONS,
}
