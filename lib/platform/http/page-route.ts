import { application, type Application } from '../../backend/application'
import { isVaspError } from '../errors'
import { asPage } from './error-page'
import { plainText } from './page-answers'
import { isSameOrigin } from './same-origin'

/** A form of our own pages: refused with 403 when another site sent it. A browser gets refusals and failures as a page. */
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

export type AnswerPorts = Pick<Application, 'settings' | 'log' | 'describeFailure'>

/** Like `answerErrors`; a browser gets refusals and failures as a page of the same status. */
export async function answerPage(
  current: AnswerPorts,
  request: Request,
  run: () => Promise<Response>,
): Promise<Response> {
  return asPage(current.settings, request, await answerErrors(current, run))
}

/** Turns refusals and failures into a plain sentence with the right status; causes go to the log. */
export async function answerErrors(
  current: Pick<AnswerPorts, 'log' | 'describeFailure'>,
  run: () => Promise<Response>,
): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    const known = isVaspError(error) ? error : current.describeFailure(error)
    if (!isVaspError(error)) current.log.error({ error }, 'page request failed')
    return plainText(known.status, known.message, known.options.headers)
  }
}
