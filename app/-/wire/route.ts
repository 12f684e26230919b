import { application } from '@/lib/backend/application'
import { EventsRequest, readEvents } from '@/lib/events/operator'
import { plainText } from '@/lib/platform/http/responses'
import { operatorPost } from '../operator-post'

export const dynamic = 'force-dynamic'

const answer = operatorPost('wire', EventsRequest, ({ db }, request) => readEvents(db, request))

/** The events of all users, for the operator. `npm run wire` calls it. */
export async function POST(request: Request): Promise<Response> {
  if (!application().settings.sandboxTools)
    return plainText(404, 'SANDBOX_TOOLS is off, so this server records no events.')
  return answer(request)
}
