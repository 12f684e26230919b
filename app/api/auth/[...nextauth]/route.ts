import { application } from '@/lib/backend/application'
import { answerAuth, type AuthContext } from '@/lib/web/auth-route'

function handle(request: Request, context: AuthContext): Promise<Response> {
  return answerAuth(application(), request, context)
}

export { handle as GET, handle as POST }
