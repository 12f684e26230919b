import { setTimeout as sleep } from 'node:timers/promises'
import type { ConformanceCase } from '../case.ts'
import { check, show } from '../check.ts'
import { type CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { decodeToken, hmacToken, nowSeconds, signToken, unsignedToken, withOtherClaims } from '../jwt.ts'
import { PROBES } from './probes.ts'

const RULE = 'Authentication 4'
const RULE_QUOTE =
  'When the Authorization header is missing, or the JWT is invalid, respond 401 with error text `Unauthorized`.'
const VERIFY = 'Authentication 3'
const VERIFY_QUOTE =
  'the signature is checked with the public key, the issuer and audience must equal the VASP domain, and the token must be unexpired.'

function checkUnauthorized(reply: Reply, what: string): void {
  check(reply.status === 401, `${what} answered ${reply.status} instead of 401.`)
}

/** Claims of the first user's connection token, with the right audience and issuer. */
async function claimsOf(context: CaseContext): Promise<Readonly<Record<string, unknown>>> {
  const { audience: aud, issuer: iss } = context.target
  return { ...decodeToken(await context.connectionToken())?.claims, aud, iss }
}

/** Reads `/info` with a token that the VASP must not accept. */
function refusedToken(
  given: Pick<ConformanceCase, 'id' | 'title' | 'advice'> &
    Partial<ConformanceCase> & { readonly token: (context: CaseContext) => Promise<string> },
): ConformanceCase {
  const { token, ...rest } = given
  return {
    level: 'must',
    paragraph: VERIFY,
    quote: VERIFY_QUOTE,
    dependsOn: ['info.reply'],
    ...rest,
    async run(context) {
      checkUnauthorized(await context.api({ path: '/info', token: await token(context) }), 'GET /info')
    },
  }
}

export const bearerCases: readonly ConformanceCase[] = [
  {
    id: 'bearer.missing',
    level: 'must',
    title: 'every endpoint refuses a request without a token',
    paragraph: RULE,
    quote: RULE_QUOTE,
    advice: 'Check the token before the input, at every endpoint.',
    dependsOn: ['info.reply'],
    async run(context) {
      for (const name of await context.session.commands(context.client)) {
        const { method, path, body } = PROBES[name]
        const reply = await context.api({ method, path, body, token: null })
        checkUnauthorized(reply, `${method} ${path} without a token`)
      }
    },
  },
  {
    id: 'bearer.text',
    level: 'must',
    title: 'the 401 has the error text Unauthorized',
    paragraph: RULE,
    quote: RULE_QUOTE,
    advice: 'Answer with the text Unauthorized, or with JSON that has it as error.',
    dependsOn: ['bearer.missing'],
    async run(context) {
      const { text, json } = await context.api({ path: '/info', token: null })
      const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : text.trim()
      check(error === 'Unauthorized', `The error text is ${show(error)}.`)
    },
  },
  {
    id: 'bearer.error-code',
    level: 'gateway-compatibility',
    title: 'the 401 has the code UNAUTHORIZED',
    paragraph: RULE,
    quote: 'The gateway passes {"code", "message"} on to the app. It turns any other body into OTHER.',
    advice:
      'Answer with {"error":"Unauthorized","code":"UNAUTHORIZED","message":"Unauthorized"}, which serves all readers.',
    dependsOn: ['bearer.missing'],
    async run(context) {
      const { json } = await context.api({ path: '/info', token: null })
      const { code, message } = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>
      check(code === 'UNAUTHORIZED' && typeof message === 'string', `The body is ${show(json)}.`)
    },
  },
  {
    id: 'bearer.malformed',
    level: 'must',
    title: 'refuses a header without a token',
    paragraph: RULE,
    quote: RULE_QUOTE,
    advice: 'Answer 401 to every header that is not Bearer and one JWT. Never answer 5xx.',
    dependsOn: ['info.reply'],
    async run(context) {
      const token = await context.connectionToken()
      for (const Authorization of ['Bearer', 'Bearer x', 'Bearer a.b.c', `Basic ${token}`, `Token ${token}`])
        checkUnauthorized(
          await context.api({ path: '/info', token: null, headers: { Authorization } }),
          `The header ${Authorization.replace(token, 'and a valid token')}`,
        )
    },
  },
  refusedToken({
    id: 'bearer.other-key',
    title: 'refuses a token that another key signed',
    advice: 'Verify the signature with the public key.',
    token: async (context) => signToken(await claimsOf(context), context.session.foreignKey),
  }),
  refusedToken({
    id: 'bearer.tampered',
    title: 'refuses a token whose claims were changed',
    advice: 'Verify the signature over the claims that you read.',
    token: async (context) => withOtherClaims(await context.connectionToken(), { sub: 'other' }),
  }),
  refusedToken({
    id: 'bearer.alg-none',
    title: 'refuses a token with the algorithm none',
    paragraph: 'Authentication 1',
    quote: 'The JWT is signed with ES256 (ECDSA, P-256).',
    advice: 'Accept the algorithm ES256 only, whatever the header says.',
    token: async (context) => unsignedToken(await claimsOf(context)),
  }),
  refusedToken({
    id: 'bearer.alg-hmac',
    title: 'refuses a token that uses the public key as an HMAC secret',
    paragraph: 'Authentication 1',
    quote: 'The JWT is signed with ES256 (ECDSA, P-256).',
    advice: 'Accept the algorithm ES256 only, whatever the header says.',
    needs: ['public-key'],
    async token(context) {
      const pem = context.target.publicKey?.export({ type: 'spki', format: 'pem' }).toString() ?? ''
      return hmacToken(await claimsOf(context), pem)
    },
  }),
  refusedToken({
    id: 'bearer.header-key',
    title: 'ignores a key in the header of the token',
    advice: 'Take keys from your own settings only. Ignore jwk, jku and x5u.',
    async token(context) {
      const { foreignKey } = context.session
      const { d: _private, ...jwk } = foreignKey.export({ format: 'jwk' })
      return signToken(await claimsOf(context), foreignKey, { alg: 'ES256', typ: 'JWT', jwk })
    },
  }),
  refusedToken({
    id: 'bearer.other-aud',
    title: 'refuses a token for another audience',
    advice: 'Compare aud with the VASP domain.',
    needs: ['signing-key'],
    token: async (context) => signToken({ ...(await claimsOf(context)), aud: 'other.example' }, context.signingKey),
  }),
  refusedToken({
    id: 'bearer.other-iss',
    title: 'refuses a token from another issuer',
    advice: 'Compare iss with the VASP domain.',
    needs: ['signing-key'],
    token: async (context) => signToken({ ...(await claimsOf(context)), iss: 'other.example' }, context.signingKey),
  }),
  refusedToken({
    id: 'bearer.past-exp',
    title: 'refuses a token that expired a second ago',
    advice: 'Check exp without leeway.',
    needs: ['signing-key'],
    token: async (context) => signToken({ ...(await claimsOf(context)), exp: nowSeconds() - 1 }, context.signingKey),
  }),
  {
    id: 'bearer.login-token',
    level: 'should',
    title: 'a login token opens GET /info only',
    paragraph: 'Authentication 2',
    quote: 'A login token appears in URLs. The gateway uses it for GET /info and for the exchange only.',
    advice: 'Mark the two kinds of token with a claim of your own, and accept connection tokens only.',
    dependsOn: ['info.reply'],
    async run(context) {
      const token = await context.loginToken()
      for (const name of await context.session.commands(context.client)) {
        if (name === 'get_info') continue
        const { method, path, body } = PROBES[name]
        const { status } = await context.api({ method, path, body, token })
        check(status === 401 || status === 403, `${method} ${path} with a login token answered ${status}.`)
      }
    },
  },
  {
    id: 'bearer.session-cookie',
    level: 'must',
    title: 'a session cookie does not replace the token',
    paragraph: RULE,
    quote: RULE_QUOTE,
    advice: 'Ignore cookies at the API: another site could send requests with the cookies of the user.',
    dependsOn: ['info.reply'],
    needs: ['browser'],
    async run(context) {
      const browser = await context.browser()
      const reply = await browser.send(context.client, { url: `${context.target.api}/info` })
      checkUnauthorized(reply, 'GET /info with the session cookie and no token')
    },
  },
  {
    id: 'bearer.scheme-case',
    level: 'option',
    title: 'accepts the scheme bearer in lower case',
    paragraph: 'RFC 9110, 11.1',
    quote: 'The name of a scheme is case-insensitive.',
    advice: 'Compare the scheme ignoring case.',
    dependsOn: ['info.reply'],
    async run(context) {
      const headers = { Authorization: `bearer ${await context.connectionToken()}` }
      const { status } = await context.api({ path: '/info', token: null, headers })
      check(status === 200, `GET /info answered ${status}.`)
    },
  },
]

/** Runs late, when the token that `exchange.expiring` requested has expired. */
export const expiredCases: readonly ConformanceCase[] = [
  {
    id: 'bearer.expired',
    level: 'must',
    title: 'refuses a connection token after its expiry',
    paragraph: VERIFY,
    quote: 'the token must be unexpired',
    advice: 'Check exp at each request, without leeway.',
    dependsOn: ['bearer.before-expiry'],
    async run(context) {
      const { token, expiresAtSeconds } = await context.session.startExpiring(context.client)
      await sleep(Math.max(0, (expiresAtSeconds + 1) * 1000 - Date.now()))
      checkUnauthorized(await context.api({ path: '/info', token }), 'GET /info with an expired token')
    },
  },
]

export const expiringCases: readonly ConformanceCase[] = [
  {
    id: 'bearer.before-expiry',
    level: 'must',
    title: 'accepts a connection token before its expiry',
    paragraph: 'Authentication 2',
    quote: 'The gateway uses the long-lived JWT of a connection for all API requests.',
    advice: 'Accept a token until the second in exp.',
    dependsOn: ['info.reply'],
    async run(context) {
      const { token } = await context.session.startExpiring(context.client)
      const { status } = await context.api({ path: '/info', token })
      check(status === 200, `GET /info with a token valid for three seconds answered ${status}.`)
    },
  },
]
