import { AuthorizationResponseError, OperationProcessingError, ResponseBodyError } from 'oauth4webapi'
import { reasonOf, ShopError, type Problem, type Side } from './problem'

type ProblemText = readonly [meaning: string, side: Side, todo: string]

const AGAIN = 'Connect again.'
const UNSUPPORTED: ProblemText = [
  'The gateway does not support this kind of request.',
  'gateway',
  'Nothing to do in the shop. The operator of the gateway must fix this.',
]

/** Errors in the address when the gateway sends the browser back, and of its token endpoint (RFC 6749, 4.1.2.1 and 5.2). */
const CODES: Readonly<Record<string, ProblemText>> = {
  access_denied: ['Denied by the user. Nothing was connected.', 'person', 'Try again when the user agrees.'],
  invalid_request: ['The gateway rejected the shop’s request.', 'shop', 'The message names the part that is wrong.'],
  invalid_client: ['The gateway does not know this shop.', 'shop', 'Check that the shop is registered on the relay.'],
  unauthorized_client: [
    'The gateway does not allow this request from this shop.',
    'shop',
    'Check that the shop is registered on the relay.',
  ],
  invalid_grant: [
    'The code or refresh token was already used, has expired, or belongs to another app; or the connection has ended.',
    'shop',
    AGAIN,
  ],
  invalid_scope: ['This wallet does not support a command that the shop requires.', 'shop', 'Request fewer commands.'],
  unsupported_response_type: UNSUPPORTED,
  unsupported_grant_type: UNSUPPORTED,
  server_error: ['The gateway failed.', 'gateway', 'Try again later.'],
  temporarily_unavailable: ['The gateway is not available right now.', 'gateway', 'Try again later.'],
}

const OTHERWISE: ProblemText = ['This error is not part of OAuth.', 'gateway', 'Read the message, then connect again.']

/** Explains any failure of the OAuth steps, and names the side at fault. */
export function explainOAuthError(error: unknown, endpoint: string): Problem {
  if (error instanceof ShopError) return error.problem
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return problemOf(
      error.error,
      error.error_description ?? 'The gateway sent no description.',
      Object.hasOwn(CODES, error.error) ? CODES[error.error] : undefined,
    )
  if (error instanceof OperationProcessingError) return ofTheLibrary(error, endpoint)
  return problemOf('GATEWAY_DOWN', `${new URL(endpoint).host} did not answer: ${reasonOf(error)}.`, [
    'The gateway cannot be reached.',
    'gateway',
    'Start the gateway, then try again.',
  ])
}

function ofTheLibrary(error: OperationProcessingError, endpoint: string): Problem {
  // The library puts the response into `cause`. `instanceof` would fail, because the server adapter replaces the global Response.
  const status = (error.cause as { status?: unknown } | undefined)?.status
  if (error.code === 'OAUTH_HTTP_REQUEST_FORBIDDEN')
    return problemOf(error.code, `${endpoint} is not https.`, [
      'The shop sends no secret over a connection without encryption, except on this machine.',
      'gateway',
      'The operator of the gateway must use https addresses.',
    ])
  if (error.code !== undefined && NOT_OAUTH.has(error.code))
    return problemOf(
      error.code,
      typeof status !== 'number' ? error.message : `${endpoint} answered ${status}, which is not an OAuth answer.`,
      [
        'The answer does not follow OAuth. A public gateway sends errors in plain text.',
        'gateway',
        'See the answer in the list of calls. Connect again.',
      ],
    )
  return problemOf(error.code ?? 'OAUTH_ERROR', error.message, [
    'The answer does not match the request.',
    'gateway',
    AGAIN,
  ])
}

const NOT_OAUTH = new Set(['OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'])

function problemOf(code: string, message: string, [meaning, side, todo]: ProblemText = OTHERWISE): Problem {
  return { code, message, meaning, side, todo }
}

export const notOurs = (): Problem =>
  problemOf('WRONG_STATE', 'This answer does not belong to a request from this browser.', [
    'The page was opened twice, the sign-in was started in another browser, or the address was made up.',
    'shop',
    'Connect again from here.',
  ])
