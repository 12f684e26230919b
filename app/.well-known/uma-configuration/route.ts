import { application } from '@/lib/backend/application'
import { makeAnswerDocument } from '@/lib/backend/documents'
import { protocol } from '@/lib/backend/protocol'
import { DISCOVERY_PATH, documentResponse } from '@/lib/platform/http/documents'

export const dynamic = 'force-dynamic'

/** For `next dev` and any other Next server. `server.js` answers in front of Next. */
export function GET(request: Request): Promise<Response> {
  return documentResponse(makeAnswerDocument(application(), protocol()), DISCOVERY_PATH, request)
}

export { GET as OPTIONS }
