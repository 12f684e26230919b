import { application } from '@/lib/backend/application'
import { answerPeer } from '@/lib/lightning/sandbox/answer-peer'

export const dynamic = 'force-dynamic'

/**
 * The Lightning node's wire for `next dev` and any other Next server; `server.js` mounts the same function in front of
 * Next. One catch-all and every method, so that what is no call gets the node's own 404 and 405.
 */
function handle(request: Request): Promise<Response> {
  return answerPeer(application().sandboxNode, request)
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
