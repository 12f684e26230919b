import type { ConformanceCase } from '../case.ts'
import { check, checkRefused, checkStatus, checkSuccess, fieldsOf, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { decodeToken, nowSeconds, signToken } from '../jwt.ts'
import { randomHex, tokenOf } from '../session.ts'
import { COMMANDS } from '../verdict.ts'

const EXCHANGE = 'Authentication 6'
const ERRORS = 'Errors'
const UNAUTHORIZED_QUOTE =
  '| Authorization header missing or JWT invalid | 401 | Text `Unauthorized` (JSON field `error` in the token exchange) |'
const PERMISSIONS_QUOTE =
  '| Token exchange: `permissions` missing or empty | 400 | JSON `error`: `Permissions are required.` |'
const ORDER_QUOTE = 'Order of checks in the token exchange: JWT first, then user, then permissions, then signing key.'
const ONLY_LOGIN_QUOTE = 'The token exchange endpoint accepts only the short-lived JWT, checked by the same rules.'

const GOOD_BODY = { permissions: ['get_info'] }

function checkUnauthorized(reply: Reply, what: string): void {
  checkStatus(reply, 401, what)
  check(
    fieldsOf(reply).error === 'Unauthorized',
    `${what} answered ${show(reply.json ?? reply.text)} instead of {"error":"Unauthorized"}.`,
  )
}

function checkPermissionsRequired(reply: Reply, what: string): void {
  checkStatus(reply, 400, what)
  check(
    fieldsOf(reply).error === 'Permissions are required.',
    `${what} answered ${show(reply.json ?? reply.text)} instead of {"error":"Permissions are required."}.`,
  )
}

/** Claims of the first user's login token, with correct times, audience and issuer. */
async function claimsOf(context: CaseContext): Promise<Readonly<Record<string, unknown>>> {
  const { audience: aud, issuer: iss } = context.target
  const { iat: _iat, nbf: _nbf, ...claims } = decodeToken(await context.loginToken())?.claims ?? {}
  return { ...claims, exp: nowSeconds() + 300, aud, iss }
}

/** Exchanges with a token that the VASP must not accept. */
function refusedToken(
  given: Pick<ConformanceCase, 'id' | 'title' | 'advice'> &
    Partial<ConformanceCase> & { readonly token: (context: CaseContext) => Promise<string | undefined> },
): ConformanceCase {
  const { token, ...rest } = given
  return {
    level: 'must',
    paragraph: EXCHANGE,
    quote: ONLY_LOGIN_QUOTE,
    dependsOn: ['exchange.token'],
    ...rest,
    async run(context) {
      const { session, client } = context
      checkUnauthorized(await session.exchange(client, await token(context), GOOD_BODY), 'The token exchange')
    },
  }
}

/** Exchanges with permissions that count as missing. */
function emptyPermissions(
  id: string,
  level: 'must' | 'should',
  title: string,
  bodies: readonly unknown[],
): ConformanceCase {
  return {
    id: `exchange.${id}`,
    level,
    title,
    paragraph: ERRORS,
    quote: level === 'must' ? PERMISSIONS_QUOTE : 'A body without a list of names holds no permissions.',
    advice: 'Answer 400 with {"error":"Permissions are required."}.',
    dependsOn: ['exchange.token'],
    async run(context) {
      for (const body of bodies) {
        const reply = await context.session.exchange(context.client, await context.loginToken(), body)
        checkPermissionsRequired(reply, `The token exchange with the body ${show(body)}`)
      }
    },
  }
}

/** Exchanges with a bad `expiration`. */
function badExpiration(id: string, title: string, values: () => readonly unknown[]): ConformanceCase {
  return {
    id: `exchange.${id}`,
    level: 'should',
    title,
    paragraph: 'Resources and their fields, Token exchange request and response',
    quote: 'A wrong expiry would create a connection that ends at once or never.',
    advice: 'Accept only an integer number of seconds since 1970, in the future. Answer 400 to everything else.',
    dependsOn: ['exchange.token'],
    async run({ session, client }) {
      for (const expiration of values()) {
        const reply = await session.exchangeAs(client, 'first', { ...GOOD_BODY, expiration })
        checkStatus(reply, 400, `The token exchange with the expiration ${show(expiration)}`)
      }
    },
  }
}

export const exchangeCases: readonly ConformanceCase[] = [
  {
    id: 'exchange.token',
    level: 'must',
    title: 'exchanges a login token for a connection token',
    paragraph: 'Resources and their fields, Token exchange request and response',
    quote: '| Response body (JSON) | token | string (JWT) | | The long-lived JWT |',
    advice: 'Answer 200 with {"token": JWT}.',
    dependsOn: ['login.sign-in'],
    async run({ session, client }) {
      const reply = await session.exchangeAs(client, 'first', { permissions: COMMANDS })
      checkSuccess(reply, 'The token exchange')
      tokenOf(reply)
    },
  },
  {
    id: 'exchange.url',
    level: 'gateway-compatibility',
    title: 'the exchange address begins with the API address',
    paragraph: 'Gateway configuration that points at the service',
    quote:
      'The gateway strips VASP_UMA_API_BASE_URL from UMA_VASP_TOKEN_EXCHANGE_URL, and appends the rest to the base URL.',
    advice: 'Serve the exchange below the API base, for example at /token.',
    run({ target }) {
      check(target.exchange.startsWith(`${target.api}/`), `${target.exchange} does not begin with ${target.api}/.`)
      return Promise.resolve()
    },
  },
  refusedToken({
    id: 'exchange.no-token',
    title: 'refuses an exchange without a token',
    paragraph: ERRORS,
    quote: UNAUTHORIZED_QUOTE,
    advice: 'Answer 401 with {"error":"Unauthorized"} when the Authorization header is missing.',
    token: () => Promise.resolve(undefined),
  }),
  refusedToken({
    id: 'exchange.malformed-token',
    title: 'refuses an exchange with a text that is not a token',
    paragraph: ERRORS,
    quote: UNAUTHORIZED_QUOTE,
    advice: 'Answer 401 with {"error":"Unauthorized"} when the JWT cannot be read.',
    token: () => Promise.resolve('not.a.token'),
  }),
  refusedToken({
    id: 'exchange.other-key',
    title: 'refuses a login token that another key signed',
    advice: 'Verify the signature with the public key before anything else.',
    token: async (context) => signToken(await claimsOf(context), context.session.foreignKey),
  }),
  refusedToken({
    id: 'exchange.connection-token',
    title: 'refuses a connection token',
    advice: 'Mark the two kinds of token with a claim of your own, and accept login tokens only.',
    token: (context) => context.connectionToken(),
  }),
  refusedToken({
    id: 'exchange.expired-token',
    title: 'refuses an expired login token',
    advice: 'Check exp without leeway.',
    dependsOn: ['exchange.token', 'login-token.jwt'],
    needs: ['signing-key'],
    token: async (context) => signToken({ ...(await claimsOf(context)), exp: nowSeconds() - 1 }, context.signingKey),
  }),
  refusedToken({
    id: 'exchange.no-exp',
    level: 'should',
    title: 'refuses a login token without an expiry',
    quote: 'A login token without exp could create connections for ever.',
    advice: 'Require exp in login tokens: most JWT libraries accept a token without it.',
    dependsOn: ['exchange.token', 'login-token.jwt'],
    needs: ['signing-key'],
    async token(context) {
      const { exp: _exp, ...claims } = await claimsOf(context)
      return signToken(claims, context.signingKey)
    },
  }),
  refusedToken({
    id: 'exchange.other-aud',
    title: 'refuses a login token for another audience',
    paragraph: 'Authentication 3',
    quote: 'the issuer and audience must equal the VASP domain',
    advice: 'Compare aud with the VASP domain.',
    dependsOn: ['exchange.token', 'login-token.jwt'],
    needs: ['signing-key'],
    token: async (context) => signToken({ ...(await claimsOf(context)), aud: 'other.example' }, context.signingKey),
  }),
  refusedToken({
    id: 'exchange.other-iss',
    title: 'refuses a login token from another issuer',
    paragraph: 'Authentication 3',
    quote: 'the issuer and audience must equal the VASP domain',
    advice: 'Compare iss with the VASP domain.',
    dependsOn: ['exchange.token', 'login-token.jwt'],
    needs: ['signing-key'],
    token: async (context) => signToken({ ...(await claimsOf(context)), iss: 'other.example' }, context.signingKey),
  }),
  {
    id: 'exchange.unknown-user',
    level: 'must',
    title: 'answers 404 for a user that does not exist, and names the user',
    paragraph: ERRORS,
    quote: '| Token exchange: user from `sub` not found | 404 | JSON `error` naming the missing user |',
    advice: 'Look the user up after the JWT check, and answer 404 with {"error": …} that names sub.',
    dependsOn: ['exchange.token', 'login-token.jwt'],
    needs: ['signing-key'],
    async run(context) {
      const sub = `conformance-${randomHex(4)}`
      const token = signToken({ ...(await claimsOf(context)), sub }, context.signingKey)
      // Permissions are missing too: the user comes first.
      const reply = await context.session.exchange(context.client, token, {})
      checkStatus(reply, 404, 'The token exchange of a user that does not exist')
      check(
        String(fieldsOf(reply).error).includes(sub),
        `The error is ${show(reply.json)}, which does not name ${sub}.`,
      )
    },
  },
  {
    id: 'exchange.token-before-permissions',
    level: 'must',
    title: 'checks the token before the permissions and the body',
    paragraph: ERRORS,
    quote: ORDER_QUOTE,
    advice: 'Check the JWT first: a bad token with an empty or unreadable body is 401.',
    dependsOn: ['exchange.other-key'],
    async run(context) {
      const token = signToken(await claimsOf(context), context.session.foreignKey)
      for (const body of [{}, { permissions: [] }, 'not JSON'])
        checkStatus(
          await context.session.exchange(context.client, token, body),
          401,
          `A foreign token with ${show(body)}`,
        )
    },
  },
  emptyPermissions('permissions-missing', 'must', 'refuses a request without permissions', [{}]),
  emptyPermissions('permissions-empty', 'must', 'refuses an empty list of permissions', [{ permissions: [] }]),
  emptyPermissions('permissions-not-a-list', 'should', 'refuses permissions that are not a list of names', [
    { permissions: null },
    { permissions: {} },
    { permissions: [1] },
  ]),
  emptyPermissions('body-not-json', 'should', 'treats a body that is not JSON as missing permissions', [
    'not JSON',
    '',
  ]),
  {
    id: 'exchange.error-fields',
    level: 'must',
    title: 'errors of the exchange have the field error and no other',
    paragraph: 'Resources and their fields, Error body used by the token exchange and by the authentication check',
    quote: 'JSON object with one field `error` (string, message text).',
    advice: 'Answer with {"error": text} and nothing else.',
    dependsOn: ['exchange.permissions-missing'],
    async run({ session, client }) {
      for (const reply of [
        await session.exchange(client, undefined, GOOD_BODY),
        await session.exchange(client, await session.loginToken(client), {}),
      ]) {
        const names = Object.keys(fieldsOf(reply))
        check(names.length === 1 && names[0] === 'error', `The body is ${show(reply.json ?? reply.text)}.`)
      }
    },
  },
  {
    id: 'exchange.repeated',
    level: 'gateway-compatibility',
    title: 'one login token creates several connections',
    paragraph: EXCHANGE,
    quote: 'The gateway keeps the login token for its pages and exchanges it once for each connection.',
    advice: 'Do not make the login token single-use. Limit its exchanges, if at all, to a dozen or more.',
    dependsOn: ['exchange.token'],
    async run({ session, client }) {
      const tokens = new Set<string>()
      for (let round = 0; round < 3; round += 1)
        tokens.add(tokenOf(await session.exchangeAs(client, 'first', GOOD_BODY)))
    },
  },
  {
    id: 'exchange.aliases',
    level: 'should',
    title: 'accepts both spellings of a command',
    paragraph: 'Authentication, NWC command to API mapping',
    quote:
      'The specification names get_invoices, get_transactions and get_budget_estimate alongside lookup_invoice, list_transactions and get_budget.',
    advice: 'Accept get_invoices, get_transactions and get_budget_estimate as aliases of the same commands.',
    dependsOn: ['exchange.token'],
    async run({ session, client }) {
      for (const name of ['get_invoices', 'get_transactions', 'get_budget_estimate']) {
        const reply = await session.exchangeAs(client, 'first', { permissions: [name] })
        check(reply.status < 300, `The token exchange of ${name} alone answered ${reply.status}.`)
      }
    },
  },
  {
    id: 'exchange.unknown-permission',
    level: 'should',
    title: 'ignores a permission that it does not know',
    paragraph: 'Resources and their fields, Token exchange request and response',
    quote: 'A newer gateway may name commands that this VASP does not know.',
    advice: 'Ignore names that you do not know.',
    dependsOn: ['exchange.token'],
    async run({ session, client }) {
      const permissions = ['get_info', 'a_command_of_the_future']
      const reply = await session.exchangeAs(client, 'first', { permissions })
      check(reply.status < 300, `The token exchange with an unknown name besides get_info answered ${reply.status}.`)
    },
  },
  {
    id: 'exchange.expiration-null',
    level: 'should',
    title: 'treats a null expiration as absent',
    paragraph: 'Resources and their fields, Token exchange request and response',
    quote: 'Gateways send optional fields as null.',
    advice: 'Treat null as absent: the connection does not expire.',
    dependsOn: ['exchange.token', 'connection-token.no-exp'],
    async run({ session, client }) {
      const reply = await session.exchangeAs(client, 'first', { ...GOOD_BODY, expiration: null })
      const exp = decodeToken(tokenOf(reply))?.claims.exp
      check(exp === undefined, `exp is ${show(exp)}, although expiration was null.`)
    },
  },
  badExpiration('expiration-past', 'refuses an expiration in the past', () => [nowSeconds() - 60, 0, -1]),
  badExpiration('expiration-type', 'refuses an expiration that is not an integer number of seconds', () => [
    String(nowSeconds() + 3_600),
    nowSeconds() + 3_600.5,
    (nowSeconds() + 3_600) * 1_000,
  ]),
  {
    id: 'exchange.other-method',
    level: 'should',
    title: 'answers 405 to GET at the exchange',
    paragraph: 'RFC 9110, 15.5.6',
    quote: 'Caches and link checkers may repeat a GET request.',
    advice: 'Answer 405 with Allow: POST.',
    async run(context) {
      const reply = await context.send({ url: context.target.exchange })
      check(reply.status === 405 || reply.status === 404, `GET answered ${reply.status} instead of 405.`)
    },
  },
  {
    id: 'exchange.large-body',
    level: 'should',
    title: 'refuses a body of 2 MB',
    paragraph: 'RFC 9110, 15.5.14',
    quote: 'Any client can exhaust the memory of a VASP that reads bodies of any size.',
    advice: 'Limit the size of bodies, for example to 64 kB, and answer 413.',
    dependsOn: ['exchange.token'],
    async run(context) {
      const body = { permissions: ['get_info'], padding: 'x'.repeat(2_000_000) }
      checkRefused(await context.session.exchange(context.client, await context.loginToken(), body), 'A body of 2 MB')
    },
  },
]
