import { caseGroup, type CaseGroup, type ConformanceCase } from '../case.ts'
import { check, checkIs, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import { decodeToken, hasSignatureOf, nowSeconds, type DecodedToken } from '../jwt.ts'
import { CONNECTION, LOGIN, SPEC, type Sentence } from '../sentences.ts'
import { tokenOf } from '../session.ts'
import type { Target } from '../target.ts'
import { COMMANDS } from '../verdict.ts'

const loginToken = caseGroup(LOGIN, ['login-token.jwt'])
const connectionToken = caseGroup(CONNECTION, ['connection-token.jwt'])

/** The gateway's column holds this many characters. */
const MAX_TOKEN_LENGTH = 1_024

interface Kind {
  /** The area of the cases. */
  readonly area: 'login-token' | 'connection-token'
  readonly name: string
  readonly group: CaseGroup
  readonly from: string
  readonly read: (context: CaseContext) => Promise<string>
  readonly sentences: Readonly<Record<'jwt' | 'sub' | 'aud' | 'iss' | 'address', Sentence>>
}

const LOGIN_KIND: Kind = {
  area: 'login-token',
  name: 'the login token',
  group: loginToken,
  from: 'login.sign-in',
  read: (context) => context.loginToken(),
  sentences: {
    jwt: SPEC.loginToken,
    sub: SPEC.loginSub,
    aud: SPEC.loginAud,
    iss: SPEC.loginIss,
    address: SPEC.loginAddress,
  },
}

const CONNECTION_KIND: Kind = {
  area: 'connection-token',
  name: 'the connection token',
  group: connectionToken,
  from: 'exchange.token',
  read: (context) => context.connectionToken(),
  sentences: {
    jwt: SPEC.exchanged,
    sub: SPEC.connectionSub,
    aud: SPEC.connectionAud,
    iss: SPEC.connectionIss,
    address: SPEC.connectionAddress,
  },
}

async function decoded(context: CaseContext, kind: Kind): Promise<DecodedToken> {
  const token = decodeToken(await kind.read(context))
  check(token !== undefined, `${kind.name} is not a JWT.`)
  return token
}

function commonCases(kind: Kind): ConformanceCase[] {
  const { area, name, from, group, sentences } = kind
  /** A claim with the same value for every user. */
  const fixedClaim = (claim: 'aud' | 'iss', wanted: (target: Target) => string): ConformanceCase =>
    group.must(`${area}.${claim}`, `${claim} of ${name} is the VASP domain`, {
      source: sentences[claim],
      advice: `Set ${claim} to the domain of the VASP, with its port when it has one, as a string.`,
      async run(context) {
        const value = (await decoded(context, kind)).claims[claim]
        check(
          value === wanted(context.target),
          `${claim} is ${show(value)} instead of ${show(wanted(context.target))}.`,
        )
      },
    })
  return [
    group.must(`${area}.jwt`, `${name} is a JWT`, {
      source: sentences.jwt,
      advice: 'Send a JWT in its compact form: three parts with dots between them.',
      dependsOn: [from],
      run: (context) => decoded(context, kind),
    }),
    group.must(`${area}.algorithm`, `the algorithm of ${name} is ES256`, {
      source: SPEC.es256,
      advice: 'Sign with ES256.',
      async run(context) {
        const { alg } = (await decoded(context, kind)).header
        checkIs('alg', alg, 'ES256')
      },
    }),
    group.must(`${area}.signature`, `the public key verifies ${name}`, {
      source: SPEC.keyPair,
      advice:
        'Give the gateway the public key that belongs to the signing key. The signature is 64 bytes, r and s, not DER.',
      needs: ['public-key'],
      async run(context) {
        const { publicKey } = context.target
        check(
          publicKey !== undefined && hasSignatureOf(await kind.read(context), publicKey),
          `The public key does not verify the signature of ${name}.`,
        )
      },
    }),
    group.must(`${area}.sub`, `sub of ${name} is the user ID, a string`, {
      source: sentences.sub,
      advice: 'Set sub to the ID of the user, as a string that never changes.',
      async run(context) {
        const { sub } = (await decoded(context, kind)).claims
        check(typeof sub === 'string' && sub !== '', `sub is ${show(sub)} instead of a string.`)
      },
    }),
    fixedClaim('aud', ({ audience }) => audience),
    fixedClaim('iss', ({ issuer }) => issuer),
    group.must(`${area}.address`, `address of ${name} is a UMA address`, {
      source: sentences.address,
      advice: "Set address to the user's UMA address, such as $alice@bank.example.",
      async run(context) {
        const { address } = (await decoded(context, kind)).claims
        check(
          typeof address === 'string' && /^\$[a-z0-9._+-]{1,63}@[^@\s]+$/i.test(address),
          `address is ${show(address)} instead of a UMA address.`,
        )
      },
    }),
  ]
}

export const loginTokenCases: readonly ConformanceCase[] = [
  ...commonCases(LOGIN_KIND),
  loginToken.must('login-token.exp', 'the login token has an expiry in the future', {
    source: SPEC.loginExp,
    advice: 'Set exp to a number of seconds since 1970, ten minutes after issue.',
    async run(context) {
      const exp = decodeToken(await context.loginToken())?.claims.exp
      check(typeof exp === 'number', `exp is ${show(exp)} instead of a number.`)
      check(exp > nowSeconds(), `exp is ${exp}, which is in the past.`)
    },
  }),
  loginToken.should('login-token.lifetime', 'the login token is valid for about ten minutes', {
    source: ['Limits 1', 'A browser holds this token. The reference flow uses ten minutes.'],
    advice: 'Set exp to ten minutes after issue.',
    dependsOn: ['login-token.exp'],
    async run(context) {
      const left = Number(decodeToken(await context.loginToken())?.claims.exp) - nowSeconds()
      check(left <= 960, `The login token is valid for ${left} more seconds.`)
      check(left >= 120, `The login token is valid for only ${left} more seconds: the user needs time to approve.`)
    },
  }),
  loginToken.gateway('login-token.clock', 'iat and nbf of the login token are not in the future', {
    source: 'The gateway has no leeway: an iat ahead of its clock ends the login with 500.',
    advice: 'Leave iat and nbf out, or set them a few seconds back.',
    async run(context) {
      const { iat, nbf } = decodeToken(await context.loginToken())?.claims ?? {}
      for (const [name, value] of Object.entries({ iat, nbf }))
        check(
          value === undefined || (typeof value === 'number' && value <= nowSeconds() + 1),
          `${name} is ${show(value)}.`,
        )
    },
  }),
  loginToken.gateway('login-token.stable-user', 'two logins of one user have the same sub and address', {
    source: 'The gateway fails with 500 for a known address under a new sub.',
    advice: 'Take sub from the ID of the user, not from the session.',
    dependsOn: ['login-token.sub', 'login-token.address', 'login.silent'],
    needs: ['browser'],
    async run(context) {
      const { session, client } = context
      const browser = await context.browser()
      const root = await session.gatewayAddress(client)
      const url = session.loginUrl(`${root}/auth/vasp_token_callback`)
      const { stoppedAt } = await browser.visit(client, { url }, await session.isGateway(client))
      const again = decodeToken(new URL(stoppedAt ?? root).searchParams.get('token') ?? '')?.claims
      const first = decodeToken(await context.loginToken())?.claims
      check(again?.sub === first?.sub, `sub was ${show(first?.sub)} and then ${show(again?.sub)}.`)
      check(again?.address === first?.address, `address was ${show(first?.address)} and then ${show(again?.address)}.`)
    },
  }),
  loginToken.must('login-token.other-user', 'two users have different sub and address', {
    source: SPEC.loginSub,
    advice: 'Take sub and address from the user who signed in.',
    dependsOn: ['login-token.sub', 'login-token.address'],
    needs: ['second-user'],
    async run(context) {
      const first = decodeToken(await context.loginToken())?.claims
      const second = decodeToken(await context.loginToken('second'))?.claims
      check(first?.sub !== second?.sub, `Both users have the sub ${show(first?.sub)}.`)
      check(first?.address !== second?.address, `Both users have the address ${show(first?.address)}.`)
    },
  }),
]

export const connectionTokenCases: readonly ConformanceCase[] = [
  ...commonCases(CONNECTION_KIND),
  connectionToken.must('connection-token.same-user', 'the connection token names the user of the login token', {
    source: SPEC.forThatUser,
    advice: 'Copy sub and address from the login token.',
    dependsOn: ['connection-token.sub', 'connection-token.address', 'login-token.sub', 'login-token.address'],
    async run(context) {
      const login = decodeToken(await context.loginToken())?.claims
      const connection = decodeToken(await context.connectionToken())?.claims
      check(login?.sub === connection?.sub, `sub is ${show(connection?.sub)} instead of ${show(login?.sub)}.`)
      check(
        login?.address === connection?.address,
        `address is ${show(connection?.address)} instead of ${show(login?.address)}.`,
      )
    },
  }),
  connectionToken.must('connection-token.no-exp', 'the connection token has no expiry when none was asked for', {
    source: SPEC.noExpiry,
    advice: 'Leave exp out when the request has no expiration.',
    async run(context) {
      const exp = decodeToken(await context.connectionToken())?.claims.exp
      check(exp === undefined, `exp is ${show(exp)}, and no expiration was sent.`)
    },
  }),
  connectionToken.must('connection-token.exp', 'exp of the connection token is the requested expiration', {
    source: SPEC.connectionExp,
    advice: 'Set exp to the value of expiration, in seconds since 1970.',
    async run({ session, client }) {
      const expiration = nowSeconds() + 7_777
      const reply = await session.exchangeAs(client, 'first', { permissions: ['get_info'], expiration })
      const exp = decodeToken(tokenOf(reply))?.claims.exp
      check(exp === expiration, `exp is ${show(exp)} instead of ${expiration}.`)
    },
  }),
  connectionToken.gateway(
    'connection-token.size',
    'the connection token has at most 1,024 characters with all permissions',
    {
      source: 'The gateway stores the token in a column of 1,024 characters.',
      advice: 'Shorten the claims: abbreviate the scopes, or store them and put an ID into the token.',
      async run({ session, client }) {
        const expiration = nowSeconds() + 31_536_000
        const { length } = tokenOf(await session.exchangeAs(client, 'first', { permissions: COMMANDS, expiration }))
        check(length <= MAX_TOKEN_LENGTH, `The token has ${length} characters.`)
      },
    },
  ),
]
