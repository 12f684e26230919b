import { sessionOfRequest } from '@/lib/accounts/sessions/current-user'
import { csrfTokenOrNew } from '@/lib/accounts/sign-in/csrf'
import { application } from '@/lib/backend/application'
import { protocol } from '@/lib/backend/protocol'
import { answerConnect } from '@/lib/connections/connect'
import { plainText } from '@/lib/platform/http/responses'
import { toErrorPage } from '@/lib/web/error-page'
import { withTextErrors } from '@/lib/web/handle-errors'

export const dynamic = 'force-dynamic'

/** The login redirect: UMA_VASP_LOGIN_URL of the gateway. */
export async function GET(request: Request): Promise<Response> {
  const current = application()
  // Next treats a path with a trailing slash as the same path. Tokens are issued at one address only.
  if (new URL(request.url).pathname !== '/connect') return plainText(404, 'Page not found. Check the address.')
  const answer = await withTextErrors(current, async () =>
    answerConnect(current, protocol(), request, {
      readSession: () => sessionOfRequest(current),
      binding: await csrfTokenOrNew(application().settings),
    }),
  )
  // The error of a refused redirect_uri is for the gateway's developer, so it is plain text.
  return answer.status === 400 ? answer : toErrorPage(current.settings, request, answer)
}
