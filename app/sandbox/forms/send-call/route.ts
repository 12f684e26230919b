import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { callInProcess, protocol } from '@/lib/backend/protocol'
import { PAYING_COMMANDS } from '@/lib/connections/queries'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { connectReference, sendCall } from '@/lib/sandbox/api-reference/send'
import { readCall } from '@/lib/sandbox/api-reference/typed-call'
import type { FormError } from '@/lib/web/form-errors'
import { RequestId } from '@/lib/web/form-handler'
import { endpointOfCommand, sendPage } from '../../../(dashboard)/developers/api/reference'

const Send = z
  .object({
    command: z.string().max(64),
    request_id: RequestId,
    /** Sent by the question about a call that moves money. */
    confirmed: z.literal('yes').optional(),
  })
  .catchall(z.string())

/** The server refuses addresses over 8 kB. */
const MAX_TYPED_LENGTH = 6_000

/** Sends a call that the signed-in user has typed. A call that moves money needs a confirmation first. */
export const POST = sandboxForm(
  Send,
  async ({ app, username, sessionId, fields }) => {
    const { command: name, request_id: requestId, confirmed, form_user: _formUser, ...typed } = fields
    const found = endpointOfCommand(name)
    if (found === undefined) return plainText(404, 'This server has no such command. Nothing was sent.')
    const call = readCall(found.endpoint, typed)
    if ('field' in call) return call
    if (String(new URLSearchParams(typed)).length > MAX_TYPED_LENGTH) return { code: 'long' }
    const backTo = (more: Readonly<Record<string, string>>, place: string): Response =>
      seeOther(`${sendPage(name)}?${new URLSearchParams({ ...typed, ...more })}#${place}`)
    const api = protocol()
    const callApi = (request: Request): Promise<Response> => callInProcess(api, request)
    const sender = { username, sessionId, permissions: api.commands }
    if (PAYING_COMMANDS.includes(found.command) && confirmed !== 'yes') {
      const connected = await connectReference(app, sender, callApi)
      return 'refused' in connected ? errorOf(connected) : backTo({ ask: 'yes' }, 'question')
    }
    const sent = await sendCall(app, sender, call, requestId, callApi)
    if ('refused' in sent) return errorOf(sent)
    const { status, eventId } = sent
    return backTo(eventId === undefined ? { unstored: String(status) } : { event: String(eventId) }, 'answer')
  },
  ({ command = '' }) => sendPage(command),
)

function errorOf({ status }: { readonly status?: number }): FormError {
  return { code: status === 429 ? 'many' : 'exchange' }
}
