import { application } from '@/lib/backend/application'
import { healthResponse } from '@/lib/platform/http/health'

export const dynamic = 'force-dynamic'

/** For `next dev` and any other Next server. `server.js` answers in front of Next. */
export function GET(): Promise<Response> {
  return healthResponse('/-/serving', application(), false)
}
