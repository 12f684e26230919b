import { refusal, sandboxDelete, unknownCaller } from '@/app/sandbox/sandbox-route'
import { PRIVATE_HEADERS } from '@/lib/platform/http/responses'
import { stopFault } from '@/lib/sandbox/faults/service'

/** Stops a fault of a connection of the caller. */
export const DELETE = sandboxDelete<{ readonly id: string }>(async ({ app, caller }, { id }) => {
  const username = await caller()
  if (username === undefined) return unknownCaller()
  if (!/^\d{1,18}$/.test(id) || !(await stopFault(app, username, id)))
    return refusal(404, 'not_found', 'You have no such fault. It may have expired.')
  return new Response(null, { status: 204, headers: PRIVATE_HEADERS })
})
