import { routeHandlers } from 'uma-auth-vasp/next'
import { application } from '@/lib/backend/application'
import { answerPeer } from '@/lib/lightning/answer-peer'

export const dynamic = 'force-dynamic'

/** The calls of Lightning peers, for `next dev` and any other Next server. `server.js` mounts the same function in front of Next. */
export const { GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS } = routeHandlers({
  fetch: (request) => answerPeer(application().simulatedNode, request),
})
