import { application, type Application } from '@/lib/backend/application'
import { plainText } from '@/lib/platform/http/page-answers'
import { answerPage } from '@/lib/platform/http/page-route'
import { isSameOrigin } from '@/lib/platform/http/same-origin'

/** A form of our own pages: rejected with 403 when another site sent it. A browser gets rejections and failures as a page. */
export function ownForm(consequence: string, run: (current: Application, request: Request) => Promise<Response>) {
  return (request: Request): Promise<Response> => {
    const current = application()
    return answerPage(current, request, async () =>
      isSameOrigin(request.headers.get('origin'), current.settings.publicOrigin)
        ? run(current, request)
        : plainText(403, `This form was sent from another site, so ${consequence}.`),
    )
  }
}
