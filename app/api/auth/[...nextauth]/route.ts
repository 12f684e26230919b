import { application } from '@/lib/backend/application'
import { answerAuth, type AuthContext } from '@/lib/web/auth-route'

/** Every method is exported, so that a wrong method gets our own 405. */
function handle(request: Request, context: AuthContext): Promise<Response> {
  return answerAuth(application(), request, context)
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
