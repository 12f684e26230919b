import { setTimeout as sleep } from 'node:timers/promises'
import { caseGroup, type CaseText, type ConformanceCase } from '../case.ts'
import { check, show } from '../check.ts'
import { type CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { decodeToken, hmacToken, nowSeconds, signToken, unsignedToken, withOtherClaims } from '../jwt.ts'
import { API, SPEC, type Sentence } from '../sentences.ts'
import { tokenOf } from '../session.ts'
import { doSteps } from '../sign-in.ts'
import { COMMANDS, NEEDS, NotRun } from '../verdict.ts'
import { PROBES } from './probes.ts'

const bearer = caseGroup(API, ['info.reply'])

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
  id: string,
  title: string,
  given: Omit<CaseText, 'run' | 'source'> & {
    source?: Sentence
    token: (context: CaseContext) => Promise<string>
  },
): ConformanceCase {
  const { token, source = SPEC.verified, ...text } = given
  return bearer.must(id, title, {
    source,
    ...text,
    run: async (context) =>
      checkUnauthorized(await context.api({ path: '/info', token: await token(context) }), 'GET /info'),
  })
}

/** A connection token with a valid signature and other claims. */
const signedWith = (changes: () => Readonly<Record<string, unknown>>) => ({
  needs: ['signing-key'] as const,
  token: async (context: CaseContext) => signToken({ ...(await claimsOf(context)), ...changes() }, context.signingKey),
})

export const bearerCases: readonly ConformanceCase[] = [
  bearer.must('bearer.missing', 'every endpoint refuses a request without a token', {
    source: SPEC.unauthorized,
    advice: 'Check the token before the input, at every endpoint.',
    async run(context) {
      for (const name of await context.session.commands(context.client)) {
        const { method, path, body } = PROBES[name]
        const reply = await context.api({ method, path, body, token: null })
        checkUnauthorized(reply, `${method} ${path} without a token`)
      }
    },
  }),
  bearer.must('bearer.text', 'the 401 has the error text Unauthorized', {
    source: SPEC.unauthorized,
    advice: 'Answer with the text Unauthorized, or with JSON that has it as error.',
    dependsOn: ['bearer.missing'],
    async run(context) {
      const { text, json } = await context.api({ path: '/info', token: null })
      const error = typeof json === 'object' && json !== null && 'error' in json ? json.error : text.trim()
      check(error === 'Unauthorized', `The error text is ${show(error)}.`)
    },
  }),
  bearer.gateway('bearer.error-code', 'the 401 has the code UNAUTHORIZED', {
    source: [
      'Authentication 4',
      'The gateway passes {"code", "message"} on to the app. It turns any other body into OTHER.',
    ],
    advice:
      'Answer with {"error":"Unauthorized","code":"UNAUTHORIZED","message":"Unauthorized"}, which serves all readers.',
    dependsOn: ['bearer.missing'],
    async run(context) {
      const { json } = await context.api({ path: '/info', token: null })
      const { code, message } = (typeof json === 'object' && json !== null ? json : {}) as Record<string, unknown>
      check(code === 'UNAUTHORIZED' && typeof message === 'string', `The body is ${show(json)}.`)
    },
  }),
  bearer.must('bearer.malformed', 'refuses a header without a token', {
    source: SPEC.unauthorized,
    advice: 'Answer 401 to every header that is not Bearer and one JWT. Never answer 5xx.',
    async run(context) {
      const token = await context.connectionToken()
      for (const Authorization of ['Bearer', 'Bearer x', 'Bearer a.b.c', `Basic ${token}`, `Token ${token}`])
        checkUnauthorized(
          await context.api({ path: '/info', token: null, headers: { Authorization } }),
          `The header ${Authorization.replace(token, 'and a valid token')}`,
        )
    },
  }),
  refusedToken('bearer.other-key', 'refuses a token that another key signed', {
    advice: 'Verify the signature with the public key.',
    token: async (context) => signToken(await claimsOf(context), context.session.foreignKey),
  }),
  refusedToken('bearer.tampered', 'refuses a token whose claims were changed', {
    advice: 'Verify the signature over the claims that you read.',
    token: async (context) => withOtherClaims(await context.connectionToken(), { sub: 'other' }),
  }),
  refusedToken('bearer.alg-none', 'refuses a token with the algorithm none', {
    source: SPEC.es256,
    advice: 'Accept the algorithm ES256 only, whatever the header says.',
    token: async (context) => unsignedToken(await claimsOf(context)),
  }),
  refusedToken('bearer.alg-hmac', 'refuses a token that uses the public key as an HMAC secret', {
    source: SPEC.es256,
    advice: 'Accept the algorithm ES256 only, whatever the header says.',
    needs: ['public-key'],
    async token(context) {
      const pem = context.target.publicKey?.export({ type: 'spki', format: 'pem' }).toString() ?? ''
      return hmacToken(await claimsOf(context), pem)
    },
  }),
  refusedToken('bearer.header-key', 'ignores a key in the header of the token', {
    advice: 'Take keys from your own settings only. Ignore jwk, jku and x5u.',
    async token(context) {
      const { foreignKey } = context.session
      const { d: _private, ...jwk } = foreignKey.export({ format: 'jwk' })
      return signToken(await claimsOf(context), foreignKey, { alg: 'ES256', typ: 'JWT', jwk })
    },
  }),
  refusedToken('bearer.other-aud', 'refuses a token for another audience', {
    advice: 'Compare aud with the VASP domain.',
    ...signedWith(() => ({ aud: 'other.example' })),
  }),
  refusedToken('bearer.other-iss', 'refuses a token from another issuer', {
    advice: 'Compare iss with the VASP domain.',
    ...signedWith(() => ({ iss: 'other.example' })),
  }),
  refusedToken('bearer.past-exp', 'refuses a token that expired a second ago', {
    advice: 'Check exp without leeway.',
    ...signedWith(() => ({ exp: nowSeconds() - 1 })),
  }),
  bearer.should('bearer.login-token', 'a login token opens GET /info only', {
    source: [
      'Authentication 2',
      'A login token appears in URLs. The gateway uses it for GET /info and for the exchange only.',
    ],
    advice: 'Mark the two kinds of token with a claim of your own, and accept connection tokens only.',
    dependsOn: ['info.reply', 'budget.implemented'],
    async run(context) {
      const token = await context.loginToken()
      for (const name of await context.session.commands(context.client)) {
        if (name === 'get_info') continue
        const { method, path, body } = PROBES[name]
        const { status } = await context.api({ method, path, body, token })
        check(status === 401 || status === 403, `${method} ${path} with a login token answered ${status}.`)
      }
    },
  }),
  bearer.must('bearer.session-cookie', 'a session cookie does not replace the token', {
    source: SPEC.unauthorized,
    advice: 'Ignore cookies at the API: another site could send requests with the cookies of the user.',
    needs: ['browser'],
    async run(context) {
      const browser = await context.browser()
      const reply = await browser.send(context.client, { url: `${context.target.api}/info` })
      checkUnauthorized(reply, 'GET /info with the session cookie and no token')
    },
  }),
  bearer.option('bearer.scheme-case', 'accepts the scheme bearer in lower case', {
    source: ['RFC 9110, 11.1', 'The name of a scheme is case-insensitive.'],
    advice: 'Compare the scheme ignoring case.',
    async run(context) {
      const headers = { Authorization: `bearer ${await context.connectionToken()}` }
      const { status } = await context.api({ path: '/info', token: null, headers })
      check(status === 200, `GET /info answered ${status}.`)
    },
  }),
]

/** Runs late, when the token that `exchange.expiring` requested has expired. */
export const expiredCases: readonly ConformanceCase[] = [
  bearer.must('bearer.expired', 'refuses a connection token after its expiry', {
    source: SPEC.unexpired,
    advice: 'Check exp at each request, without leeway.',
    dependsOn: ['bearer.before-expiry'],
    async run(context) {
      const { token, expiresAtSeconds } = await context.session.startExpiring(context.client)
      await sleep(Math.max(0, (expiresAtSeconds + 1) * 1000 - Date.now()))
      checkUnauthorized(await context.api({ path: '/info', token }), 'GET /info with an expired token')
    },
  }),
  bearer.should('bearer.revoked', 'refuses a connection token after the user ended the connection', {
    source: ['RFC 7009, 2', 'A user who ends a connection expects that its app can no longer pay.'],
    advice: 'Store connections, and look each one up at every request.',
    dependsOn: ['info.reply', 'login.signed-out'],
    needs: ['browser', 'revoke'],
    async run(context) {
      const { session, client } = context
      const { browser, returnedTo } = await session.signInApart(client)
      if (browser === undefined) throw new NotRun(`needs ${NEEDS.browser}`)
      const loginToken = new URL(returnedTo).searchParams.get('token') ?? ''
      const token = tokenOf(await session.exchange(client, loginToken, { permissions: COMMANDS }))
      check((await context.api({ path: '/info', token })).status === 200, 'GET /info refused the new connection.')
      await doSteps(client, browser, session.options.signIn?.steps?.revoke ?? [])
      checkUnauthorized(await context.api({ path: '/info', token }), 'GET /info with the ended connection')
    },
  }),
]

export const expiringCases: readonly ConformanceCase[] = [
  bearer.must('bearer.before-expiry', 'accepts a connection token before its expiry', {
    source: SPEC.connectionForAll,
    advice: 'Accept a token until the second in exp.',
    async run(context) {
      const { token } = await context.session.startExpiring(context.client)
      const { status } = await context.api({ path: '/info', token })
      check(status === 200, `GET /info with a token valid for three seconds answered ${status}.`)
    },
  }),
]
