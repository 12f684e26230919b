import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { protocol } from '@/lib/backend/protocol'
import { findEvent } from '@/lib/events/queries'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { canReplay, planReplay } from '@/lib/sandbox/wire/replay'
import { replayCall } from '@/lib/sandbox/wire/replay-call'
import { RequestId } from '@/lib/web/form-handler'

const Replay = z.object({
  id: z
    .string()
    .regex(/^\d{1,18}$/)
    .transform(BigInt),
  request_id: RequestId,
  /** Sent by the page that shows what the call does. */
  confirmed: z.literal('yes').optional(),
})

/** Sends a stored call again. Calls that pay or create something need a confirmation first. */
export const POST = sandboxForm(Replay, async ({ app, username, fields: { id, request_id: requestId, confirmed } }) => {
  const event = await findEvent(app, { userId: username, withUnowned: false }, id)
  if (event === undefined) return plainText(404, 'You have no such event. Nothing was sent.')
  const page = `/developers/wire/${id}`
  const plan = planReplay(event, username)
  if (!canReplay(plan)) return seeOther(`${page}#replay`)
  if (plan.effect !== 'reads' && confirmed !== 'yes') return seeOther(`${page}/replay`)
  const outcome = await replayCall(app, protocol(), username, plan, requestId)
  if (outcome === undefined) return plainText(404, 'You have no such connection. Nothing was sent.')
  const { eventId, status } = outcome
  return seeOther(eventId === undefined ? `${page}?replayed=${status}` : `/developers/wire/${eventId}`)
})
