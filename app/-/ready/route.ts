import { application } from '@/lib/backend/application'
import { asksAsOperator } from '@/lib/backend/operator'
import { healthResponse } from '@/lib/platform/http/health'

export const dynamic = 'force-dynamic'

/** For `next dev` and any other Next server. `server.js` answers in front of Next. */
export function GET(request: Request): Promise<Response> {
  const app = application()
  return healthResponse('/-/ready', app, asksAsOperator(app, request.headers.get('authorization')))
}
