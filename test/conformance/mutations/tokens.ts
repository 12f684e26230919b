import { nowSeconds } from '../../../packages/uma-auth-conformance/src/jwt'
import type { Call } from '../reference-vasp'
import {
  accepts,
  answers,
  atExchange,
  bearerOf,
  bodies,
  bodyOf,
  borrows,
  calls,
  errors,
  example,
  instead,
  isSignedBy,
  json,
  jsonAnswer,
  tokens,
  type Json,
  type Kind,
  type Mutation,
  type TokenChange,
} from './tools'

function token(kind: Kind, name: string, mistake: string, change: TokenChange, rest: Partial<Mutation> = {}): Mutation {
  return example(`${kind}-token.${name}`, mistake, tokens(kind, change), rest)
}

const claim = (changes: Json): TokenChange => ({ claims: (claims) => ({ ...claims, ...changes }) })

function tokenMutations(kind: Kind): Mutation[] {
  return [
    token(kind, 'algorithm', 'names ES384 in the header', { header: { alg: 'ES384' } }),
    token(kind, 'signature', 'signs with a key that the gateway does not have', { isForeign: true }),
    token(kind, 'sub', 'sends sub as a number', claim({ sub: 7 })),
    token(kind, 'aud', 'sends aud as a list', { claims: (claims) => ({ ...claims, aud: [claims.aud] }) }),
    token(kind, 'iss', 'sends iss with a scheme', {
      claims: (claims) => ({ ...claims, iss: `http://${String(claims.iss)}` }),
    }),
    token(kind, 'address', 'sends the address without $', {
      claims: (claims) => ({ ...claims, address: String(claims.address).slice(1) }),
    }),
  ]
}

const lacksPermissions = (call: Call): boolean => {
  const { permissions } = bodyOf(call) ?? {}
  return !Array.isArray(permissions) || permissions.length === 0
}

const GRANTED = { permissions: ['get_info'] }
const refused = (error: string) => jsonAnswer(400, { error })

export const tokenAndExchangeMutations: readonly Mutation[] = [
  token('login', 'jwt', 'sends an opaque token', { text: (given) => `opaque-${given.slice(-40).replaceAll('.', '')}` }),
  ...tokenMutations('login'),
  token('login', 'exp', 'leaves exp out', { claims: ({ exp: _exp, ...claims }) => claims }),
  token('login', 'lifetime', 'issues a login token that is valid for a day', claim({ exp: nowSeconds() + 86_400 })),
  token('login', 'clock', 'sets iat to its own clock, which is ahead', claim({ iat: nowSeconds() + 3_600 })),
  token('login', 'stable-user', 'changes sub with the session', {
    claims: (claims, { url }) =>
      url.includes('uma-auth-conformance') || url === '/sign-in' ? claims : { ...claims, sub: 'other' },
  }),
  token('login', 'other-user', 'sends one address for all users', {
    claims: (claims) => ({ ...claims, address: String(claims.address).replace('$bob', '$alice') }),
  }),
  token('connection', 'jwt', 'sends an opaque token', {
    text: (given) => `opaque-${given.slice(-40).replaceAll('.', '')}`,
  }),
  ...tokenMutations('connection'),
  token('connection', 'same-user', 'sends a sub other than that of the login token', claim({ sub: 'someone' })),
  token('connection', 'no-exp', 'makes every connection expire after a year', {
    claims: (claims) => ({ exp: nowSeconds() + 31_536_000, ...claims }),
  }),
  token('connection', 'exp', 'adds a minute to the expiration', {
    claims: (claims) => (claims.exp === undefined ? claims : { ...claims, exp: Number(claims.exp) + 60 }),
  }),
  token('connection', 'size', 'puts long claims into the token', claim({ padding: 'x'.repeat(800) })),

  example(
    'exchange.token',
    'names the token access_token',
    json(atExchange, ({ token: given }) => ({ access_token: given })),
  ),
  example(
    'exchange.url',
    'serves the exchange outside the API',
    calls(
      (call) => call.url === '/exchange',
      (call) => ({ ...call, url: '/umanwc/v1/token' }),
    ),
    { exchangePath: '/exchange' },
  ),
  example(
    'exchange.no-token',
    'answers 400 to a missing token',
    answers(atExchange, (given, call) =>
      call.headers.get('authorization') === null && call.method === 'POST' ? { ...given, status: 400 } : given,
    ),
  ),
  example(
    'exchange.malformed-token',
    'fails on a token that cannot be read',
    instead(
      (call) => atExchange(call) && bearerOf(call) === 'not.a.token',
      () => jsonAnswer(500, { error: 'Unauthorized' }),
    ),
  ),
  example(
    'exchange.other-key',
    'does not verify signatures',
    accepts(atExchange, (_token, isOwn) => !isOwn),
  ),
  example(
    'exchange.connection-token',
    'exchanges connection tokens',
    borrows('login', (call) => atExchange(call) && isConnection(call)),
  ),
  example(
    'exchange.expired-token',
    'ignores exp',
    accepts(
      atExchange,
      ({ claims }, isOwn) => isOwn && Number(claims.exp) < nowSeconds(),
      (claims) => ({ ...claims, exp: nowSeconds() + 60 }),
    ),
  ),
  example(
    'exchange.no-exp',
    'accepts a token without exp as one that never expires',
    accepts(
      atExchange,
      ({ claims }, isOwn) => isOwn && claims.token_use === 'login' && claims.exp === undefined,
      (claims) => ({ ...claims, exp: nowSeconds() + 60 }),
    ),
  ),
  example(
    'exchange.other-aud',
    'ignores aud',
    accepts(
      atExchange,
      ({ claims }, isOwn) => isOwn && claims.aud === 'other.example',
      (claims) => ({ ...claims, aud: claims.iss }),
    ),
  ),
  example(
    'exchange.other-iss',
    'ignores iss',
    accepts(
      atExchange,
      ({ claims }, isOwn) => isOwn && claims.iss === 'other.example',
      (claims) => ({ ...claims, iss: claims.aud }),
    ),
  ),
  example(
    'exchange.unknown-user',
    'answers 401 for a user that does not exist',
    answers(atExchange, (given) => (given.status === 404 ? { ...given, status: 401 } : given)),
  ),
  example(
    'exchange.token-before-permissions',
    'checks the permissions before the token',
    (next, pair) => (call) =>
      atExchange(call) &&
      bearerOf(call) !== undefined &&
      !isSignedBy(bearerOf(call) ?? '', pair) &&
      lacksPermissions(call)
        ? Promise.resolve(refused('Permissions are required.'))
        : next(call),
  ),
  example(
    'exchange.permissions-missing',
    'grants get_info when permissions are missing',
    bodies(atExchange, (body) => (body.permissions === undefined ? { ...body, ...GRANTED } : body)),
  ),
  example(
    'exchange.permissions-empty',
    'grants get_info to an empty list',
    bodies(atExchange, (body) =>
      Array.isArray(body.permissions) && body.permissions.length === 0 ? { ...body, ...GRANTED } : body,
    ),
  ),
  example(
    'exchange.permissions-not-a-list',
    'grants get_info to permissions that are not a list',
    bodies(atExchange, (body) => (body.permissions === null ? { ...body, ...GRANTED } : body)),
  ),
  example(
    'exchange.body-not-json',
    'fails on a body that is not JSON',
    answers(atExchange, (given, call) =>
      given.status === 400 && bodyOf(call) === undefined ? jsonAnswer(500, { error: 'Internal' }) : given,
    ),
  ),
  example(
    'exchange.error-fields',
    'adds a code to its errors',
    errors(atExchange, (body) => ({ ...body, code: 'OTHER' })),
  ),
  example('exchange.repeated', 'exchanges a token only once for the same permissions', (next) => {
    const done = new Set<string>()
    return (call) => {
      const key = `${bearerOf(call)} ${call.body}`
      if (atExchange(call) && done.has(key) && call.body === JSON.stringify(GRANTED))
        return Promise.resolve(jsonAnswer(401, { error: 'Unauthorized' }))
      if (atExchange(call)) done.add(key)
      return next(call)
    }
  }),
  example(
    'exchange.aliases',
    'refuses the name get_transactions',
    instead(
      (call) => atExchange(call) && call.body.includes('get_transactions'),
      () => refused('Permissions are required.'),
    ),
  ),
  example(
    'exchange.unknown-permission',
    'refuses names that it does not know',
    instead(
      (call) => atExchange(call) && call.body.includes('a_command_of_the_future'),
      () => refused('Unknown permission.'),
    ),
  ),
  example(
    'exchange.expiration-null',
    'refuses expiration null',
    instead(
      (call) => atExchange(call) && bodyOf(call)?.expiration === null,
      () => refused('expiration is not a number'),
    ),
  ),
  example(
    'exchange.expiration-past',
    'treats an expiration in the past as none',
    bodies(atExchange, ({ expiration, ...body }) =>
      typeof expiration === 'number' && expiration < nowSeconds() ? body : { ...body, expiration },
    ),
  ),
  example(
    'exchange.expiration-type',
    'accepts an expiration that is a string',
    bodies(atExchange, (body) =>
      typeof body.expiration === 'string' ? { ...body, expiration: Number(body.expiration) } : body,
    ),
  ),
  example(
    'exchange.other-method',
    'answers 200 to GET',
    instead(
      (call) => atExchange(call) && call.method === 'GET',
      () => jsonAnswer(200, {}),
    ),
  ),
  example(
    'exchange.large-body',
    'reads a body of any size',
    bodies(atExchange, ({ padding: _padding, ...body }) => body),
  ),
]

function isConnection(call: Call): boolean {
  const part = (bearerOf(call) ?? '').split('.')[1] ?? ''
  return Buffer.from(part, 'base64url').toString().includes('"token_use":"connection"')
}
