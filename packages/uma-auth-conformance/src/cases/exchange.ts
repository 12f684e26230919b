import { caseGroup, type CaseText, type ConformanceCase } from '../case.ts'
import { check, checkRefused, checkStatus, checkSuccess, fieldsOf, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { decodeToken, nowSeconds, signToken } from '../jwt.ts'
import { ERRORS, EXCHANGE, SPEC, type Sentence } from '../sentences.ts'
import { randomHex, tokenOf } from '../session.ts'
import { COMMANDS } from '../verdict.ts'

const exchange = caseGroup(EXCHANGE, ['exchange.token'])

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

type Forge = (context: CaseContext) => Promise<string | undefined>

/** Exchanges with a token that the VASP must not accept. */
function refusedToken(
  id: string,
  title: string,
  { token, source = SPEC.onlyLogin, ...text }: Omit<CaseText, 'run' | 'source'> & { source?: Sentence; token: Forge },
): ConformanceCase {
  return exchange.must(id, title, {
    source,
    ...text,
    async run(context) {
      const { session, client } = context
      checkUnauthorized(await session.exchange(client, await token(context), GOOD_BODY), 'The token exchange')
    },
  })
}

/** A login token with a valid signature and other claims; undefined removes a claim. */
const signedWith = (changes: () => Readonly<Record<string, unknown>>) => ({
  dependsOn: ['exchange.token', 'login-token.jwt'],
  needs: ['signing-key'] as const,
  token: async (context: CaseContext) => signToken({ ...(await claimsOf(context)), ...changes() }, context.signingKey),
})

const NO_NAMES = 'A body without a list of names holds no permissions.'

/** Exchanges with permissions that count as missing. */
const emptyPermissions = (bodies: readonly unknown[]) => ({
  advice: 'Answer 400 with {"error":"Permissions are required."}.',
  async run({ session, client }: CaseContext) {
    for (const body of bodies) {
      const reply = await session.exchange(client, await session.loginToken(client), body)
      checkPermissionsRequired(reply, `The token exchange with the body ${show(body)}`)
    }
  },
})

/** Exchanges with a bad `expiration`. */
const badExpiration = (values: () => readonly unknown[]): CaseText => ({
  source: 'A wrong expiry would create a connection that ends at once or never.',
  advice: 'Accept only an integer number of seconds since 1970, in the future. Answer 400 to everything else.',
  async run({ session, client }) {
    for (const expiration of values()) {
      const reply = await session.exchangeAs(client, 'first', { ...GOOD_BODY, expiration })
      checkStatus(reply, 400, `The token exchange with the expiration ${show(expiration)}`)
    }
  },
})

export const exchangeCases: readonly ConformanceCase[] = [
  exchange.must('exchange.token', 'exchanges a login token for a connection token', {
    source: SPEC.exchanged,
    advice: 'Answer 200 with {"token": JWT}.',
    dependsOn: ['login.sign-in'],
    async run({ session, client }) {
      const reply = await session.exchangeAs(client, 'first', { permissions: COMMANDS })
      checkSuccess(reply, 'The token exchange')
      tokenOf(reply)
    },
  }),
  exchange.gateway('exchange.url', 'the exchange address begins with the API address', {
    source: [
      'Gateway configuration that points at the service',
      'The gateway strips VASP_UMA_API_BASE_URL from UMA_VASP_TOKEN_EXCHANGE_URL, and appends the rest to the base URL.',
    ],
    advice: 'Serve the exchange below the API base, for example at /token.',
    dependsOn: [],
    run({ target }) {
      check(target.exchange.startsWith(`${target.api}/`), `${target.exchange} does not begin with ${target.api}/.`)
      return Promise.resolve()
    },
  }),
  refusedToken('exchange.no-token', 'refuses an exchange without a token', {
    source: SPEC.exchangeUnauthorized,
    advice: 'Answer 401 with {"error":"Unauthorized"} when the Authorization header is missing.',
    token: () => Promise.resolve(undefined),
  }),
  refusedToken('exchange.malformed-token', 'refuses an exchange with a text that is not a token', {
    source: SPEC.exchangeUnauthorized,
    advice: 'Answer 401 with {"error":"Unauthorized"} when the JWT cannot be read.',
    token: () => Promise.resolve('not.a.token'),
  }),
  refusedToken('exchange.other-key', 'refuses a login token that another key signed', {
    advice: 'Verify the signature with the public key before anything else.',
    token: async (context) => signToken(await claimsOf(context), context.session.foreignKey),
  }),
  refusedToken('exchange.connection-token', 'refuses a connection token', {
    advice: 'Mark the two kinds of token with a claim of your own, and accept login tokens only.',
    token: (context) => context.connectionToken(),
  }),
  refusedToken('exchange.expired-token', 'refuses an expired login token', {
    advice: 'Check exp without leeway.',
    ...signedWith(() => ({ exp: nowSeconds() - 1 })),
  }),
  {
    ...refusedToken('exchange.no-exp', 'refuses a login token without an expiry', {
      source: { paragraph: 'Authentication 6', quote: 'A login token without exp could create connections for ever.' },
      advice: 'Require exp in login tokens: most JWT libraries accept a token without it.',
      ...signedWith(() => ({ exp: undefined })),
    }),
    level: 'should',
  },
  refusedToken('exchange.other-aud', 'refuses a login token for another audience', {
    source: SPEC.domain,
    advice: 'Compare aud with the VASP domain.',
    ...signedWith(() => ({ aud: 'other.example' })),
  }),
  refusedToken('exchange.other-iss', 'refuses a login token from another issuer', {
    source: SPEC.domain,
    advice: 'Compare iss with the VASP domain.',
    ...signedWith(() => ({ iss: 'other.example' })),
  }),
  exchange.must('exchange.unknown-user', 'answers 404 for a user that does not exist, and names the user', {
    source: SPEC.noUser,
    advice: 'Look the user up after the JWT check, and answer 404 with {"error": …} that names sub.',
    dependsOn: ['exchange.token', 'login-token.jwt'],
    needs: ['signing-key'],
    async run(context) {
      const sub = `conformance-${randomHex(4)}`
      const token = signToken({ ...(await claimsOf(context)), sub }, context.signingKey)
      // Permissions are missing too: the user comes first.
      const reply = await context.session.exchange(context.client, token, {})
      checkStatus(reply, 404, 'The token exchange of a user that does not exist')
      const { error } = fieldsOf(reply)
      check(error !== undefined, `The field error is missing in ${show(reply.json ?? reply.text)}.`)
      check(
        typeof error === 'string' && error.includes(sub),
        `The field error is ${show(error)}, which does not name ${sub}.`,
      )
    },
  }),
  exchange.must('exchange.token-before-permissions', 'checks the token before the permissions and the body', {
    source: SPEC.order,
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
  }),
  exchange.must('exchange.permissions-missing', 'refuses a request without permissions', {
    source: SPEC.permissions,
    ...emptyPermissions([{}]),
  }),
  exchange.must('exchange.permissions-empty', 'refuses an empty list of permissions', {
    source: SPEC.permissions,
    ...emptyPermissions([{ permissions: [] }]),
  }),
  exchange.should('exchange.permissions-not-a-list', 'refuses permissions that are not a list of names', {
    source: [ERRORS, NO_NAMES],
    ...emptyPermissions([{ permissions: null }, { permissions: {} }, { permissions: [1] }]),
  }),
  exchange.should('exchange.body-not-json', 'treats a body that is not JSON as missing permissions', {
    source: [ERRORS, NO_NAMES],
    ...emptyPermissions(['not JSON', '']),
  }),
  exchange.must('exchange.error-fields', 'errors of the exchange have the field error and no other', {
    source: SPEC.errorField,
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
  }),
  exchange.gateway('exchange.repeated', 'one login token creates several connections', {
    source: [
      'Authentication 6',
      'The gateway keeps the login token for its pages and exchanges it once for each connection.',
    ],
    advice: 'Do not make the login token single-use. Limit its exchanges, if at all, to a dozen or more.',
    async run({ session, client }) {
      const tokens = new Set<string>()
      for (let round = 0; round < 3; round += 1)
        tokens.add(tokenOf(await session.exchangeAs(client, 'first', GOOD_BODY)))
    },
  }),
  exchange.should('exchange.aliases', 'accepts both spellings of a command', {
    source: [
      'Authentication, NWC command to API mapping',
      'The specification names get_invoices, get_transactions and get_budget_estimate alongside lookup_invoice, list_transactions and get_budget.',
    ],
    advice: 'Accept get_invoices, get_transactions and get_budget_estimate as aliases of the same commands.',
    async run({ session, client }) {
      for (const name of ['get_invoices', 'get_transactions', 'get_budget_estimate']) {
        const reply = await session.exchangeAs(client, 'first', { permissions: [name] })
        check(reply.status < 300, `The token exchange of ${name} alone answered ${reply.status}.`)
      }
    },
  }),
  exchange.should('exchange.unknown-permission', 'ignores a permission that it does not know', {
    source: 'A newer gateway may name commands that this VASP does not know.',
    advice: 'Ignore names that you do not know.',
    async run({ session, client }) {
      const permissions = ['get_info', 'a_command_of_the_future']
      const reply = await session.exchangeAs(client, 'first', { permissions })
      check(reply.status < 300, `The token exchange with an unknown name besides get_info answered ${reply.status}.`)
    },
  }),
  exchange.should('exchange.expiration-null', 'treats a null expiration as absent', {
    source: 'Gateways send optional fields as null.',
    advice: 'Treat null as absent: the connection does not expire.',
    dependsOn: ['exchange.token', 'connection-token.no-exp'],
    async run({ session, client }) {
      const reply = await session.exchangeAs(client, 'first', { ...GOOD_BODY, expiration: null })
      const exp = decodeToken(tokenOf(reply))?.claims.exp
      check(exp === undefined, `exp is ${show(exp)}, although expiration was null.`)
    },
  }),
  exchange.should(
    'exchange.expiration-past',
    'refuses an expiration in the past',
    badExpiration(() => [nowSeconds() - 60, 0, -1]),
  ),
  exchange.should(
    'exchange.expiration-type',
    'refuses an expiration that is not an integer number of seconds',
    badExpiration(() => [String(nowSeconds() + 3_600), nowSeconds() + 3_600.5, (nowSeconds() + 3_600) * 1_000]),
  ),
  exchange.should('exchange.other-method', 'answers 405 to GET at the exchange', {
    source: ['RFC 9110, 15.5.6', 'Caches and link checkers may repeat a GET request.'],
    advice: 'Answer 405 with Allow: POST.',
    dependsOn: [],
    async run(context) {
      const reply = await context.send({ url: context.target.exchange })
      check(reply.status === 405 || reply.status === 404, `GET answered ${reply.status} instead of 405.`)
    },
  }),
  exchange.should('exchange.large-body', 'refuses a body of 2 MB', {
    source: ['RFC 9110, 15.5.14', 'Any client can exhaust the memory of a VASP that reads bodies of any size.'],
    advice: 'Limit the size of bodies, for example to 64 kB, and answer 413.',
    async run(context) {
      const body = { permissions: ['get_info'], padding: 'x'.repeat(2_000_000) }
      checkRefused(await context.session.exchange(context.client, await context.loginToken(), body), 'A body of 2 MB')
    },
  }),
]
