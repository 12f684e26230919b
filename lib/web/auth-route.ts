import NextAuth from 'next-auth'
import { isPastTeamGate, sessionOfRequest } from '../accounts/sessions/current-user'
import { SIGN_IN_ERRORS } from '../accounts/sign-in/authorize'
import { authOptions } from '../accounts/sign-in/next-auth'
import type { AccountPorts } from '../accounts/types'
import { MAX_BODY_BYTES } from '../platform/http/read-body'
import { plainText, PRIVATE_HEADERS, seeOther } from '../platform/http/responses'
import { withPageErrors } from './handle-errors'
import { isSameOrigin } from './same-origin'

export interface AuthContext {
  readonly params: Promise<{ nextauth: string[] }>
}

/**
 * The sign-in library's actions in use, each with its method. The other actions answer 404: its log, its own pages, and its sign-out,
 * which would not ask a temporary user first. The sign-out is at `/logout`.
 */
const USED: Readonly<Record<string, string>> = {
  csrf: 'GET',
  providers: 'GET',
  session: 'GET',
  signin: 'GET',
  error: 'GET',
  'callback/credentials': 'POST',
}
/**
 * Matched exactly, because the library parses any type that contains "json" as JSON, and quotes a malformed body in its
 * error.
 */
const FORM = /^application\/x-www-form-urlencoded(; ?charset=utf-8)?$/i

/**
 * Answers everything below `/api/auth`: our checks run first, then the sign-in library. None of its errors reaches the
 * client.
 */
export async function answerAuth(ports: AccountPorts, request: Request, context: AuthContext): Promise<Response> {
  return withPageErrors(ports, request, async () => {
    const action = (await context.params).nextauth.join('/')
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const refusal = method === 'POST' ? refuseForm(ports, request) : undefined
    if (refusal !== undefined) return refusal
    const wanted = Object.hasOwn(USED, action) ? USED[action] : undefined
    if (wanted === undefined) return plainText(404, 'Page not found. Check the address.')
    if (wanted !== method) return plainText(405, `This address accepts ${wanted}.`, { Allow: wanted })
    if (action === 'callback/credentials' && !(await isPastTeamGate(ports))) return seeOther('/login')
    if (action === 'error' || action === 'signin') return toSignInPage(new URL(request.url).searchParams)
    // The library trusts its cookie alone. The session's row decides whether the session is still open.
    if (action === 'session' && !(await isSessionOpen(ports))) return Response.json({}, { headers: PRIVATE_HEADERS })
    const run = NextAuth(authOptions(ports)) as (request: Request, context: AuthContext) => Promise<Response>
    return run(request, context)
  })
}

async function isSessionOpen(ports: AccountPorts): Promise<boolean> {
  const session = await sessionOfRequest(ports)
  return session !== null && !session.suspended
}

/** The sign-in accepts forms from our own pages only, although the library would accept others. */
function refuseForm(ports: AccountPorts, request: Request): Response | undefined {
  const { headers } = request
  if (!isSameOrigin(headers.get('origin'), ports.settings.publicOrigin)) {
    return plainText(403, 'This form was sent from another site. Open the sign-in page of this server and try again.')
  }
  if (!FORM.test(headers.get('content-type') ?? '')) {
    return plainText(415, 'This address accepts forms only: application/x-www-form-urlencoded.')
  }
  if (!(Number(headers.get('content-length') ?? Number.NaN) <= MAX_BODY_BYTES)) {
    return plainText(413, 'The request body is larger than 64 kB, or its length is not given.')
  }
  return undefined
}

/** Redirects to our sign-in page instead of the library's. An unknown error code becomes a fixed one. */
function toSignInPage(params: URLSearchParams): Response {
  const error = params.get('error')
  if (error === null && params.get('csrf') === null) return seeOther('/login')
  const word = error === null ? 'Expired' : SIGN_IN_ERRORS.test(error) ? error : 'Failed'
  return seeOther(`/login?error=${word}`)
}
