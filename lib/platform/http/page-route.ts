import type { Settings } from '../config'
import { isVaspError, type VaspError } from '../errors'
import type { Log } from '../log'
import { asPage } from './error-page'
import { plainText } from './page-answers'

interface AnswerPorts {
  readonly settings: Settings
  readonly log: Log
  readonly describeFailure: (error: unknown) => VaspError
}

/** Like `answerErrors`, but a browser gets rejections and failures as a page with the same status. */
export async function answerPage(
  ports: AnswerPorts,
  request: Request,
  run: () => Promise<Response>,
): Promise<Response> {
  return asPage(ports.settings, request, await answerErrors(ports, run))
}

/** Turns rejections and failures into a plain sentence with the right status. Failures also go to the log. */
export async function answerErrors(
  ports: Pick<AnswerPorts, 'log' | 'describeFailure'>,
  run: () => Promise<Response>,
): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    const known = isVaspError(error) ? error : ports.describeFailure(error)
    if (!isVaspError(error)) ports.log.error({ error }, 'page request failed')
    return plainText(known.status, known.message, known.options.headers)
  }
}
