import { deps } from '@/lib/deps'
import { makeUmaServer } from '@/lib/uma/server'

export const dynamic = 'force-dynamic'

/** The same function that `server.js` mounts in front of Next. */
export function GET(request: Request): Promise<Response> {
  return makeUmaServer(deps())(request)
}
