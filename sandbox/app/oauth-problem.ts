import { AuthorizationResponseError, OperationProcessingError, ResponseBodyError } from 'oauth4webapi'
import { ShopError, reasonOf, type Problem, type Side } from './problem'

type ProblemText = readonly [meaning: string, side: Side, todo: string]

const AGAIN = 'Connect again.'

/** Errors that the gateway adds to the address when it sends the browser back (RFC 6749, 4.1.2.1). */
const IN_THE_REDIRECT: Readonly<Record<string, ProblemText>> = {
  access_denied: ['The person said no. Nothing was connected.', 'person', 'Ask again when the person wants it.'],
  invalid_request: [
    'The gateway could not accept how the shop asked.',
    'shop',
    'The message says which part is wrong.',
  ],
  unauthorized_client: [
    'The gateway does not let this shop ask.',
    'shop',
    'See that the shop is registered on the relay.',
  ],
  unsupported_response_type: ['The gateway does not answer with a code.', 'gateway', 'Nothing to do in the shop.'],
  invalid_scope: [
    'A command that the shop must have is not offered by this wallet.',
    'shop',
    'Ask for fewer commands.',
  ],
  server_error: ['The gateway broke while it was working on it.', 'gateway', 'Try again later.'],
  temporarily_unavailable: ['The gateway is not able to do it now.', 'gateway', 'Try again later.'],
}

/** Errors of the token endpoint (RFC 6749, 5.2). */
const OF_THE_TOKEN: Readonly<Record<string, ProblemText>> = {
  invalid_grant: [
    'The code or refresh token is used up, has expired, or belongs to somebody else; or the connection is over.',
    'shop',
    AGAIN,
  ],
  invalid_client: ['The gateway does not know this shop.', 'shop', 'See that the shop is registered on the relay.'],
  invalid_request: [
    'The gateway could not accept how the shop asked.',
    'shop',
    'The message says which part is wrong.',
  ],
  unauthorized_client: ['The gateway does not let this shop ask in this way.', 'shop', AGAIN],
  unsupported_grant_type: ['The gateway does not offer this kind of request.', 'gateway', 'Nothing to do in the shop.'],
  invalid_scope: ['More was asked for than was granted.', 'shop', AGAIN],
}

const OTHERWISE: ProblemText = [
  'An error that OAuth does not name.',
  'gateway',
  'Read the message, then connect again.',
]

/** Explains any failure of the OAuth steps, and names the side at fault. */
export function explainOAuthError(error: unknown, endpoint: string): Problem {
  if (error instanceof ShopError) return error.problem
  if (error instanceof AuthorizationResponseError)
    return problemOf(error.error, error.error_description ?? 'No description was given.', IN_THE_REDIRECT[error.error])
  if (error instanceof ResponseBodyError)
    return problemOf(error.error, error.error_description ?? 'No description was given.', OF_THE_TOKEN[error.error])
  if (error instanceof OperationProcessingError) return ofTheLibrary(error, endpoint)
  return problemOf('GATEWAY_DOWN', `${new URL(endpoint).host} did not answer: ${reasonOf(error)}.`, [
    'The gateway cannot be reached.',
    'gateway',
    'Start it, then reload this page or try again.',
  ])
}

function ofTheLibrary(error: OperationProcessingError, endpoint: string): Problem {
  // The library puts the response there. Not `instanceof`: the server adapter replaces the global Response.
  const status = (error.cause as { status?: unknown } | undefined)?.status
  if (error.code === 'OAUTH_HTTP_REQUEST_FORBIDDEN')
    return problemOf(error.code, `${endpoint} is not https.`, [
      'The shop sends no secret over a connection without encryption, except on this machine.',
      'gateway',
      'The operator gives its endpoints https addresses.',
    ])
  if (error.code !== undefined && NOT_OAUTH.has(error.code))
    return problemOf(
      error.code,
      typeof status !== 'number' ? error.message : `${endpoint} answered ${status}, not as OAuth has it.`,
      [
        'The answer is not of the form that OAuth prescribes; the public gateway answers errors in plain text.',
        'gateway',
        'The answer stands beside this, among the calls. Connect again.',
      ],
    )
  return problemOf(error.code ?? 'OAUTH_ERROR', error.message, [
    'The answer does not fit the question.',
    'gateway',
    AGAIN,
  ])
}

const NOT_OAUTH = new Set(['OAUTH_RESPONSE_IS_NOT_JSON', 'OAUTH_RESPONSE_IS_NOT_CONFORM', 'OAUTH_PARSE_ERROR'])

function problemOf(code: string, message: string, [meaning, side, todo]: ProblemText = OTHERWISE): Problem {
  return { code, message, meaning, side, todo }
}

export const notOurs = (): Problem =>
  problemOf('WRONG_STATE', 'This answer belongs to no question that this browser asked.', [
    'The page was opened twice, the sign-in was begun in another browser, or somebody made up the address.',
    'shop',
    'Connect again from here.',
  ])
