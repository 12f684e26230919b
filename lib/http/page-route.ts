import { randomUUID } from 'node:crypto'
import { sessionOfRequest } from '../auth/session'
import { deps, type Deps } from '../deps'
import { isVaspError } from '../errors'
import { plainText, PRIVATE_HEADERS, seeOther } from './page-answers'
import { readBody } from './read-body'
import { isSameOrigin } from './same-origin'

/**
 * A form of the signed-in person: Origin must be ours (403), a live session must be there (to the sign-in page), the body is
 * counted while it is read (413), and the page was not shown to somebody else who was signed in before (409).
 */
export function personForm(run: (input: { deps: Deps; username: string; form: URLSearchParams }) => Promise<Response>) {
  return async (request: Request): Promise<Response> => {
    const current = deps()
    if (!isSameOrigin(request.headers.get('origin'), current.settings.publicOrigin)) {
      return plainText(403, 'This form was sent from another site, so nothing was changed.')
    }
    return answerErrors(current, async () => {
      const session = await sessionOfRequest(current)
      if (session === null || session.suspended) return seeOther('/login')
      const form = new URLSearchParams(await readBody(request))
      const shownTo = form.get('shown_to')
      if (shownTo !== null && shownTo !== session.username)
        return plainText(
          409,
          `You are signed in as ${session.username} now, and that page was somebody else’s, so nothing was done.`,
        )
      return run({ deps: current, username: session.username, form })
    })
  }
}

/** The state of something of the signed-in person, for a page that asks again and again; 404 where it gives none. */
export function personState(
  read: (input: { deps: Deps; username: string }) => Promise<string | undefined>,
): Promise<Response> {
  const current = deps()
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
export async function answerErrors(current: Deps, run: () => Promise<Response>): Promise<Response> {
  try {
    return await run()
  } catch (error) {
    const known = isVaspError(error) ? error : current.describeFailure(error)
    if (!isVaspError(error)) current.log.error({ error }, 'page request failed')
    return plainText(known.status, known.message, known.options.headers)
  }
}
