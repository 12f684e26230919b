import type { Api } from '@/lib/gateway/api'
import { processStore } from '@/lib/once'

export const dynamic = 'force-dynamic'

/**
 * The gateway API for `next dev` and any other Next server. `server.js` mounts the same function in front of Next.
 * Every method is named, so that HEAD does not run GET and each wrong method gets the API's own 405.
 */
function handle(request: Request): Promise<Response> {
  const api = processStore().get('api') as Api
  return api(request)
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
