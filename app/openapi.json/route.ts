import { application } from '@/lib/backend/application'
import { makeAnswerDocument } from '@/lib/backend/documents'
import { protocol } from '@/lib/backend/protocol'
import { documentResponse, OPENAPI_PATH } from '@/lib/platform/http/documents'
import { singleton } from '@/lib/platform/process-singletons'

export const dynamic = 'force-dynamic'

/** For `next dev` and any other Next server. `server.js` answers in front of Next. */
export function GET(request: Request): Promise<Response> {
  return documentResponse(answerDocument(), OPENAPI_PATH, request)
}

export { GET as OPTIONS }

function answerDocument() {
  return singleton('documents', () => makeAnswerDocument(application(), protocol()))
}
