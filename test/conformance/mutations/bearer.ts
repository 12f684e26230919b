import { createPrivateKey } from 'node:crypto'
import { decodeToken, nowSeconds, signToken } from '../../../packages/uma-auth-conformance/src/jwt'
import { answer, type Call } from '../reference-vasp'
import {
  accepts,
  answers,
  at,
  atApi,
  atDiscovery,
  atExchange,
  bearerOf,
  bodyOf,
  borrows,
  complete,
  errors,
  example,
  instead,
  jsonAnswer,
  withBearer,
  withHeader,
  type Mutation,
  type Wrap,
} from './tools'

const authorizationOf = ({ headers }: Call): string => headers.get('authorization') ?? ''

/** Remembers what each connection was granted. */
function whereNotGranted(path: string, name: string): Wrap {
  return (next) => {
    const narrow = new Set<string>()
    return async (call) => {
      if (at(path)(call) && narrow.has(bearerOf(call) ?? ''))
        return jsonAnswer(403, { code: 'RESTRICTED', message: 'Not granted' })
      const given = await next(call)
      const { permissions } = bodyOf(call) ?? {}
      if (atExchange(call) && given.status === 200 && Array.isArray(permissions) && !permissions.includes(name))
        narrow.add((JSON.parse(given.text) as { token: string }).token)
      return given
    }
  }
}

/** Keeps tokens alive that the exchange issued with an expiry. */
const withoutExpiry: Wrap = (next, pair) => {
  const issued = new Set<string>()
  return async (call) => {
    const token = bearerOf(call) ?? ''
    if (issued.has(token) && atApi(call)) {
      const { exp: _exp, ...claims } = decodeToken(token)?.claims ?? {}
      return next(withBearer(call, signToken(claims, createPrivateKey(pair.privatePem))))
    }
    const given = await next(call)
    if (atExchange(call) && given.status === 200) issued.add((JSON.parse(given.text) as { token: string }).token)
    return given
  }
}

export const bearerMutations: readonly Mutation[] = [
  example(
    'bearer.missing',
    'answers GET /balance without a token',
    borrows(
      'connection',
      (call) => at('/balance')(call) && authorizationOf(call) === '' && call.headers.get('cookie') === null,
    ),
  ),
  example(
    'bearer.text',
    'answers 401 with another error text',
    errors(atApi, (body, { status }) => (status === 401 ? { ...body, error: 'No token' } : body)),
  ),
  example(
    'bearer.error-code',
    'answers 401 with only the field error',
    errors(atApi, (body, { status }) => (status === 401 ? { error: body.error } : body)),
  ),
  example(
    'bearer.malformed',
    'fails on a header that cannot be read',
    instead(
      (call) => atApi(call) && authorizationOf(call) === 'Bearer x',
      () => answer(500, 'Internal'),
    ),
  ),
  example(
    'bearer.other-key',
    'does not verify signatures',
    accepts(
      atApi,
      ({ claims, header }, isOwn) =>
        !isOwn && header.alg === 'ES256' && header.jwk === undefined && claims.sub !== 'other',
    ),
  ),
  example(
    'bearer.tampered',
    'verifies the signature of other claims',
    accepts(atApi, ({ claims }, isOwn) => !isOwn && claims.sub === 'other'),
  ),
  example(
    'bearer.alg-none',
    'accepts the algorithm none',
    accepts(atApi, ({ header }) => header.alg === 'none'),
  ),
  example(
    'bearer.alg-hmac',
    'takes the algorithm from the header',
    accepts(atApi, ({ header }) => header.alg === 'HS256'),
  ),
  example(
    'bearer.header-key',
    'takes the key from the header',
    accepts(atApi, ({ header }) => header.jwk !== undefined),
  ),
  example(
    'bearer.other-aud',
    'ignores aud',
    accepts(
      atApi,
      ({ claims }, isOwn) => isOwn && claims.aud === 'other.example',
      (claims) => ({ ...claims, aud: claims.iss }),
    ),
  ),
  example(
    'bearer.other-iss',
    'ignores iss',
    accepts(
      atApi,
      ({ claims }, isOwn) => isOwn && claims.iss === 'other.example',
      (claims) => ({ ...claims, iss: claims.aud }),
    ),
  ),
  example(
    'bearer.past-exp',
    'accepts a token for a minute after its expiry',
    accepts(
      atApi,
      ({ claims }, isOwn) => isOwn && Number(claims.exp) > nowSeconds() - 60,
      (claims) => ({ ...claims, exp: nowSeconds() + 60 }),
    ),
  ),
  example('bearer.expired', 'keeps connections alive after their expiry', withoutExpiry),
  example(
    'bearer.before-expiry',
    'refuses tokens that have an expiry',
    instead(
      (call) =>
        atApi(call) &&
        decodeToken(bearerOf(call) ?? '')?.claims.token_use === 'connection' &&
        decodeToken(bearerOf(call) ?? '')?.claims.exp !== undefined,
      () => jsonAnswer(401, { error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' }),
    ),
  ),
  example(
    'bearer.login-token',
    'reads a balance with a login token',
    borrows(
      'connection',
      (call) => at('/balance')(call) && decodeToken(bearerOf(call) ?? '')?.claims.token_use === 'login',
    ),
  ),
  example(
    'bearer.session-cookie',
    'takes the session cookie instead of a token',
    borrows('connection', (call) => atApi(call) && authorizationOf(call) === '' && call.headers.get('cookie') !== null),
  ),
  example(
    'bearer.scheme-case',
    'accepts only one spelling of the scheme Bearer',
    instead(
      (call) => atApi(call) && authorizationOf(call).startsWith('bearer '),
      () => jsonAnswer(401, { error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' }),
    ),
  ),
  example('scopes.info', 'refuses /info without the permission get_info', whereNotGranted('/info', 'get_info')),
  example(
    'scopes.budget-estimate',
    'refuses estimates without the permission get_budget',
    whereNotGranted('/budget_estimate', 'get_budget'),
  ),
  example(
    'scopes.enforced',
    'does not check scopes',
    accepts(
      atApi,
      ({ claims }, isOwn) => isOwn && claims.token_use === 'connection' && claims.exp === undefined,
      (claims) => ({ ...claims, scope: 'get_info get_budget get_balance make_invoice lookup_invoice pay_invoice' }),
    ),
  ),
  example(
    'errors.not-advertised',
    'answers 200 to a command that it does not implement',
    instead(
      (call) => at('/payments/keysend')(call) && bearerOf(call) !== undefined,
      () => jsonAnswer(200, {}),
    ),
  ),
  example(
    'errors.unknown-path',
    'answers an unknown path with a page',
    answers(at('/no-such-endpoint'), (given) => ({ ...given, text: '<!doctype html><h1>Not found</h1>' })),
  ),
  example(
    'errors.other-method',
    'answers POST /info like GET',
    (next) => (call) => next(at('/info', 'POST')(call) ? { ...call, method: 'GET' } : call),
  ),
  example(
    'errors.content-type',
    'sends its answers as text',
    answers(
      (call) => at('/info')(call) && bearerOf(call) !== undefined,
      (given) => withHeader(given, 'content-type', 'text/plain'),
    ),
  ),
  example(
    'errors.no-store',
    'lets caches keep answers',
    answers(atApi, (given) => withHeader(given, 'cache-control', undefined)),
  ),
  example(
    'errors.input',
    'answers invalid input with plain text',
    answers(
      (call) => at('/budget_estimate')(call) && !call.url.includes('?'),
      (given) => (given.status === 400 ? { ...given, text: 'Bad request' } : given),
    ),
  ),
  example(
    'errors.no-internals',
    'sends stack traces',
    answers(at(/^\/invoices\/%00$/), (given) => ({
      ...given,
      text: JSON.stringify({ code: 'OTHER', message: 'Error\n    at parse (/srv/app.js:10:3)' }),
    })),
  ),
  complete(
    'keysend.implemented',
    'advertises pay_keysend and answers 404 with a page',
    answers(at('/payments/keysend'), (given) =>
      given.status === 401 || given.status === 403 ? given : answer(404, '<h1>Not found</h1>'),
    ),
  ),
  example(
    'info.login-token',
    'refuses the login token at /info',
    instead(
      (call) => at('/info')(call) && decodeToken(bearerOf(call) ?? '')?.claims.token_use === 'login',
      () => jsonAnswer(401, { error: 'Unauthorized', code: 'UNAUTHORIZED', message: 'Unauthorized' }),
    ),
  ),
  example(
    'discovery.served',
    'answers the discovery document with HTML',
    instead(atDiscovery, () => answer(200, '<!doctype html><h1>Bank</h1>', { 'Content-Type': 'text/html' })),
  ),
]
