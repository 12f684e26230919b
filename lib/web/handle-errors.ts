import type { Settings } from '../platform/config'
import { isVaspError, type VaspError } from '../platform/errors'
import { plainText } from '../platform/http/responses'
import type { Log } from '../platform/log'
import { toErrorPage } from './error-page'

interface AnswerPorts {
  readonly settings: Settings
  readonly log: Log
  readonly describeFailure: (error: unknown) => VaspError
}

/** Like `withTextErrors`, but a browser gets rejections and failures as a page with the same status. */
export async function withPageErrors(
  ports: AnswerPorts,
  request: Request,
  run: () => Promise<Response>,
): Promise<Response> {
  return toErrorPage(ports.settings, request, await withTextErrors(ports, run))
}

/** Turns rejections and failures into a plain sentence with the right status. Failures also go to the log. */
export async function withTextErrors(
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
