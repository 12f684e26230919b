import type { ConformanceCase } from '../case.ts'
import { check, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import { decodeToken, hasSignatureOf, nowSeconds, type DecodedToken } from '../jwt.ts'
import { tokenOf } from '../session.ts'
import { COMMANDS } from '../verdict.ts'

const LOGIN = 'Resources and their fields, Short-lived JWT'
const CONNECTION = 'Resources and their fields, Long-lived JWT'
/** The gateway's column holds this many characters. */
const MAX_TOKEN_LENGTH = 1_024

interface Kind {
  /** The area of the cases. */
  readonly area: 'login-token' | 'connection-token'
  readonly name: string
  readonly paragraph: string
  readonly from: string
  readonly read: (context: CaseContext) => Promise<string>
  readonly sub: string
  readonly address: string
}

const KINDS: readonly Kind[] = [
  {
    area: 'login-token',
    name: 'the login token',
    paragraph: LOGIN,
    from: 'login.sign-in',
    read: (context) => context.loginToken(),
    sub: '| sub | string | User ID in the VASP system |',
    address: "| address | string | The user's UMA address, shown by the gateway in its interface |",
  },
  {
    area: 'connection-token',
    name: 'the connection token',
    paragraph: CONNECTION,
    from: 'exchange.token',
    read: (context) => context.connectionToken(),
    sub: '| sub | string | User ID as a string |',
    address: "| address | string | The user's UMA address |",
  },
]

async function decoded(context: CaseContext, kind: Kind): Promise<DecodedToken> {
  const token = decodeToken(await kind.read(context))
  check(token !== undefined, `${kind.name} is not a JWT.`)
  return token
}

function commonCases(kind: Kind): ConformanceCase[] {
  const { area, name, paragraph, from } = kind
  const isJwt = `${area}.jwt`
  const common = { paragraph, dependsOn: [isJwt] }
  return [
    {
      id: isJwt,
      level: 'must',
      title: `${name} is a JWT`,
      paragraph,
      quote:
        area === 'login-token'
          ? 'with query parameters `token` (the JWT)'
          : '| Response body (JSON) | token | string (JWT) | | The long-lived JWT |',
      advice: 'Send a JWT in its compact form: three parts with dots between them.',
      dependsOn: [from],
      run: async (context) => void (await decoded(context, kind)),
    },
    {
      ...common,
      id: `${area}.algorithm`,
      level: 'must',
      title: `the algorithm of ${name} is ES256`,
      paragraph: 'Authentication 1',
      quote: 'The JWT is signed with ES256 (ECDSA, P-256).',
      advice: 'Sign with ES256.',
      async run(context) {
        const { alg } = (await decoded(context, kind)).header
        check(alg === 'ES256', `alg is ${show(alg)} instead of "ES256".`)
      },
    },
    {
      ...common,
      id: `${area}.signature`,
      level: 'must',
      title: `the public key verifies ${name}`,
      paragraph: 'Authentication 1',
      quote: 'The VASP holds the private key securely and gives the public key to the gateway in UMA_VASP_JWT_PUBKEY.',
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
    },
    {
      ...common,
      id: `${area}.sub`,
      level: 'must',
      title: `sub of ${name} is the user ID, a string`,
      quote: kind.sub,
      advice: 'Set sub to the ID of the user, as a string that never changes.',
      async run(context) {
        const { sub } = (await decoded(context, kind)).claims
        check(typeof sub === 'string' && sub !== '', `sub is ${show(sub)} instead of a string.`)
      },
    },
    {
      ...common,
      id: `${area}.aud`,
      level: 'must',
      title: `aud of ${name} is the VASP domain`,
      quote: '| aud | string | VASP domain |',
      advice: 'Set aud to the domain of the VASP, with its port when it has one, as a string.',
      async run(context) {
        const { aud } = (await decoded(context, kind)).claims
        const { audience } = context.target
        check(aud === audience, `aud is ${show(aud)} instead of ${show(audience)}.`)
      },
    },
    {
      ...common,
      id: `${area}.iss`,
      level: 'must',
      title: `iss of ${name} is the VASP domain`,
      quote: '| iss | string | VASP domain |',
      advice: 'Set iss to the domain of the VASP, with its port when it has one.',
      async run(context) {
        const { iss } = (await decoded(context, kind)).claims
        const { issuer } = context.target
        check(iss === issuer, `iss is ${show(iss)} instead of ${show(issuer)}.`)
      },
    },
    {
      ...common,
      id: `${area}.address`,
      level: 'must',
      title: `address of ${name} is a UMA address`,
      quote: kind.address,
      advice: "Set address to the user's UMA address, such as $alice@bank.example.",
      async run(context) {
        const { address } = (await decoded(context, kind)).claims
        check(
          typeof address === 'string' && /^\$[a-z0-9._+-]{1,63}@[^@\s]+$/i.test(address),
          `address is ${show(address)} instead of a UMA address.`,
        )
      },
    },
  ]
}

export const loginTokenCases: readonly ConformanceCase[] = [
  ...KINDS.slice(0, 1).flatMap(commonCases),
  {
    id: 'login-token.exp',
    level: 'must',
    title: 'the login token has an expiry in the future',
    paragraph: LOGIN,
    quote: '| exp | timestamp | Expiry; the reference flow uses 10 minutes after issue |',
    advice: 'Set exp to a number of seconds since 1970, ten minutes after issue.',
    dependsOn: ['login-token.jwt'],
    async run(context) {
      const exp = decodeToken(await context.loginToken())?.claims.exp
      check(typeof exp === 'number', `exp is ${show(exp)} instead of a number.`)
      check(exp > nowSeconds(), `exp is ${exp}, which is in the past.`)
    },
  },
  {
    id: 'login-token.lifetime',
    level: 'should',
    title: 'the login token is valid for about ten minutes',
    paragraph: 'Limits 1',
    quote: 'A browser holds this token. The reference flow uses ten minutes.',
    advice: 'Set exp to ten minutes after issue.',
    dependsOn: ['login-token.exp'],
    async run(context) {
      const left = Number(decodeToken(await context.loginToken())?.claims.exp) - nowSeconds()
      check(left <= 960, `The login token is valid for ${left} more seconds.`)
      check(left >= 120, `The login token is valid for only ${left} more seconds: the user needs time to approve.`)
    },
  },
  {
    id: 'login-token.clock',
    level: 'gateway-compatibility',
    title: 'iat and nbf of the login token are not in the future',
    paragraph: LOGIN,
    quote: 'The gateway has no leeway: an iat ahead of its clock ends the login with 500.',
    advice: 'Leave iat and nbf out, or set them a few seconds back.',
    dependsOn: ['login-token.jwt'],
    async run(context) {
      const { iat, nbf } = decodeToken(await context.loginToken())?.claims ?? {}
      for (const [name, value] of Object.entries({ iat, nbf }))
        check(
          value === undefined || (typeof value === 'number' && value <= nowSeconds() + 1),
          `${name} is ${show(value)}.`,
        )
    },
  },
  {
    id: 'login-token.stable-user',
    level: 'gateway-compatibility',
    title: 'two logins of one user have the same sub and address',
    paragraph: LOGIN,
    quote: 'The gateway fails with 500 for a known address under a new sub.',
    advice: 'Take sub from the ID of the user, not from the session.',
    dependsOn: ['login-token.sub', 'login-token.address', 'login.silent'],
    needs: ['browser'],
    async run(context) {
      const { session, client } = context
      const browser = await context.browser()
      const root = (await session.gatewayRoot(client)).href.replace(/\/$/, '')
      const url = session.loginUrl(`${root}/auth/vasp_token_callback`)
      const { stoppedAt } = await browser.visit(client, { url }, await session.isGateway(client))
      const again = decodeToken(new URL(stoppedAt ?? root).searchParams.get('token') ?? '')?.claims
      const first = decodeToken(await context.loginToken())?.claims
      check(again?.sub === first?.sub, `sub was ${show(first?.sub)} and then ${show(again?.sub)}.`)
      check(again?.address === first?.address, `address was ${show(first?.address)} and then ${show(again?.address)}.`)
    },
  },
  {
    id: 'login-token.other-user',
    level: 'must',
    title: 'two users have different sub and address',
    paragraph: LOGIN,
    quote: '| sub | string | User ID in the VASP system |',
    advice: 'Take sub and address from the user who signed in.',
    dependsOn: ['login-token.sub', 'login-token.address'],
    needs: ['second-user'],
    async run(context) {
      const first = decodeToken(await context.loginToken())?.claims
      const second = decodeToken(await context.loginToken('second'))?.claims
      check(first?.sub !== second?.sub, `Both users have the sub ${show(first?.sub)}.`)
      check(first?.address !== second?.address, `Both users have the address ${show(first?.address)}.`)
    },
  },
]

export const connectionTokenCases: readonly ConformanceCase[] = [
  ...KINDS.slice(1).flatMap(commonCases),
  {
    id: 'connection-token.same-user',
    level: 'must',
    title: 'the connection token names the user of the login token',
    paragraph: CONNECTION,
    quote: 'The `sub` claim is the user ID, and the request is carried out for that user.',
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
  },
  {
    id: 'connection-token.no-exp',
    level: 'must',
    title: 'the connection token has no expiry when none was asked for',
    paragraph: CONNECTION,
    quote: 'The long-lived JWT has no expiry unless the exchange request carries `expiration`.',
    advice: 'Leave exp out when the request has no expiration.',
    dependsOn: ['connection-token.jwt'],
    async run(context) {
      const exp = decodeToken(await context.connectionToken())?.claims.exp
      check(exp === undefined, `exp is ${show(exp)}, and no expiration was sent.`)
    },
  },
  {
    id: 'connection-token.exp',
    level: 'must',
    title: 'exp of the connection token is the requested expiration',
    paragraph: CONNECTION,
    quote:
      '| exp | timestamp | Present only when the exchange request carried `expiration`; then equal to that value |',
    advice: 'Set exp to the value of expiration, in seconds since 1970.',
    dependsOn: ['connection-token.jwt'],
    async run({ session, client }) {
      const expiration = nowSeconds() + 7_777
      const reply = await session.exchangeAs(client, 'first', { permissions: ['get_info'], expiration })
      const exp = decodeToken(tokenOf(reply))?.claims.exp
      check(exp === expiration, `exp is ${show(exp)} instead of ${expiration}.`)
    },
  },
  {
    id: 'connection-token.size',
    level: 'gateway-compatibility',
    title: 'the connection token has at most 1,024 characters with all permissions',
    paragraph: CONNECTION,
    quote: 'The gateway stores the token in a column of 1,024 characters.',
    advice: 'Shorten the claims: abbreviate the scopes, or store them and put an ID into the token.',
    dependsOn: ['connection-token.jwt'],
    async run({ session, client }) {
      const expiration = nowSeconds() + 31_536_000
      const { length } = tokenOf(await session.exchangeAs(client, 'first', { permissions: COMMANDS, expiration }))
      check(length <= MAX_TOKEN_LENGTH, `The token has ${length} characters.`)
    },
  },
]
