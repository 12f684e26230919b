import { application } from '@/lib/backend/application'
import { makeUmaServer } from '@/lib/uma/server/server'

export const dynamic = 'force-dynamic'

/**
 * What other VASPs call, for `next dev` and any other Next server; `server.js` mounts the same function in front of Next.
 * Every method, so that what is no call gets the protocol's own refusal.
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
