import { randomUUID } from 'node:crypto'
import { sessionOfRequest } from '../../accounts/session'
import { application, type Application } from '../../backend/application'
import { isVaspError } from '../errors'
import { asPage } from './error-page'
import { plainText, PRIVATE_HEADERS, seeOther } from './page-answers'
import { loginAddress } from './login-address'
import { readBody } from './read-body'
import { isSameOrigin } from './same-origin'

/**
 * A form of the signed-in person: Origin must be ours (403), a live session must be there (to the sign-in page), the body is
 * counted while it is read (413), and the form must name the user it was shown to (400), who is the one signed in now (409).
 */
export function personForm(
  run: (input: { deps: Application; username: string; form: URLSearchParams }) => Promise<Response>,
) {
  return ownForm('nothing was changed', async (current, request) => {
    const session = await sessionOfRequest(current)
    if (session === null || session.suspended)
      return seeOther(
        loginAddress(request.headers.get('referer') ?? undefined, current.settings.publicOrigin, 'SignedOut'),
      )
    const form = new URLSearchParams(await readBody(request))
    const [shownTo, ...more] = form.getAll('shown_to')
    if (shownTo === undefined || more.length > 0)
      return plainText(400, 'This form does not name the user it was shown to, so nothing was done. Open it again.')
    if (shownTo !== session.username)
      return plainText(
        409,
        `You are now signed in as ${session.username}; this form was for someone else. Nothing was done.`,
      )
    return run({ deps: current, username: session.username, form })
  })
}

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

/** The state of something of the signed-in person, for a page that asks again and again; 404 where it gives none. */
export function personState(
  read: (input: { deps: Application; username: string }) => Promise<string | undefined>,
): Promise<Response> {
  const current = application()
  return answerErrors(current, async () => {
    const session = await sessionOfRequest(current)
    if (session === null || session.suspended) return plainText(401, 'Sign in to see this.')
    const state = await read({ deps: current, username: session.username })
    if (state === undefined) return plainText(404, 'There is no such thing of yours.')
    return Response.json({ state }, { headers: PRIVATE_HEADERS })
  })
}

/** Names one filling-in of a form, so that a double click is one request. The page puts it in; without it each is its own. */
export function requestIdOf(form: URLSearchParams): string {
  const id = form.get('request_id') ?? ''
  return /^[0-9a-f-]{36}$/.test(id) ? id : randomUUID()
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
