import fc from 'fast-check'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seedUsers } from '@/lib/accounts/seed'
import { openSession, userOfSession } from '@/lib/accounts/sessions/session-store'
import { answerConnect } from '@/lib/connections/connect'
import type { Database } from '@/lib/platform/db/database'
import { testPasswords } from '@/test/vasp/passwords'
import { REDIRECT_CASES, ROOT } from '../../packages/uma-auth-vasp/test/redirect-uris'
import { signAny, type GoodToken } from '../../packages/uma-auth-vasp/test/token-faults'
import { SEED } from '../runners/chance'
import { expectDocumented } from '../vasp/openapi'
import { connectRequest, idOf, makeTestVasp, read, type TestVasp } from '../vasp/vasp'
import { openForInputs } from './database'
import { tryAll } from './groups'
import { ODD_TEXTS, ODD_VALUES } from './oddities'

// Tokens and login redirects. A token of another issuer gives no access. A redirect leads to the gateway or is
// refused.

const RUNS = 3_000

let vasp: TestVasp
let db: Database
let close = async (): Promise<void> => {}
let good: GoodToken
let goodText = ''
let session: Awaited<ReturnType<typeof sessionOf>>
let sent = 0

beforeAll(async () => {
  const opened = await openForInputs()
  db = opened.db
  close = () => opened.close()
  await seedUsers(db, 'sandbox', testPasswords)
  vasp = await makeTestVasp(db, { GATEWAY_ROOT_URL: ROOT })
  goodText = await vasp.connectionToken('alice')
  const domain = vasp.app.settings.vaspDomain
  const claims = {
    sub: 'alice',
    jti: idOf(goodText),
    token_use: 'connection',
    scope: 'get_info',
    exp: Math.floor(Date.now() / 1000) + 3_600,
    iss: domain,
    aud: domain,
  }
  good = { claims, ...vasp.pair, domain }
  session = await sessionOf()
})
afterAll(() => close())

async function sessionOf() {
  const sessionId = crypto.randomUUID()
  await openSession(db, sessionId, 'alice')
  const user = await userOfSession(db, sessionId)
  return user === undefined ? null : { sessionId, ...user }
}

async function ask(header: string): Promise<number> {
  sent += 1
  const { publicOrigin, apiBasePath } = vasp.app.settings
  const request = new Request(`${publicOrigin}${apiBasePath}/info`, { headers: { Authorization: header } })
  const answer = await read(await vasp.api(request))
  expectDocumented('get', '/info', answer)
  return answer.status
}

it('accepts the token from which all faulty tokens are derived', async () => {
  expect(await ask(`Bearer ${goodText}`)).toBe(200)
  expect(await ask(`Bearer ${signAny(good.claims, good.privatePem)}`)).toBe(200)
})

const oddClaim = fc.oneof(fc.constantFrom<unknown>(...ODD_VALUES, ...ODD_TEXTS), fc.jsonValue({ maxDepth: 1 }))

it('refuses one of our tokens with a changed claim', async () => {
  await tryAll(
    fc.tuple(fc.constantFrom('sub', 'jti', 'token_use', 'iss', 'aud', 'exp'), oddClaim),
    RUNS,
    async ([name, value]) => {
      // An `exp` in the future, in seconds, is valid.
      const isGood = name === 'exp' && Number.isInteger(value) && Number(value) > Date.now() / 1000
      if (isGood && Number(value) <= 253_402_300_799) return
      expect(await ask(`Bearer ${signAny({ ...good.claims, [name]: value }, good.privatePem)}`)).toBe(401)
    },
  )
})

it('refuses a token with one changed letter, or with another header', async () => {
  const letters = Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.= ,')
  const changed = fc
    .tuple(fc.nat({ max: 600 }), fc.constantFrom(...letters))
    .map(([at, letter]) => {
      const place = at % goodText.length
      return { place, text: `Bearer ${goodText.slice(0, place)}${letter}${goodText.slice(place + 1)}` }
    })
    // The last letter of a part contains bits that are not decoded.
    .filter(({ text }) => text !== `Bearer ${goodText}`)
  const other = fc
    .string({ unit: fc.constantFrom(...letters, 'é', 'ÿ', ':', ';', '"', '\\', '/'), maxLength: 80 })
    .map((text) => ({ text }))
  await tryAll(fc.oneof(changed, other), RUNS, async ({ text }) => {
    const status = await ask(text)
    if (status !== 401) expect(decodedSignature(text)).toBe(decodedSignature(goodText))
    else expect(status).toBe(401)
  })
})

/** The bytes of the signature: two spellings of the same bytes are one token, and revoking it revokes both. */
function decodedSignature(text: string): string {
  return Buffer.from(text.split('.')[2] ?? '', 'base64url').toString('hex')
}

const pieces: readonly string[] = [
  'https HTTP http javascript data : // / \\ @ . :443 :8443 ? # %2f %40 %2e %00 。 gateway.example GATEWAY.EXAMPLE evil.com',
  'user:pw cb .. %2e%2e & = token=x currency=y fe_redirect= аteway xn-- [::1] 0x7f.1 \u202e',
]
  .join(' ')
  .split(' ')
  .concat('\t', '\n', ' ')
const redirects = fc.oneof(
  fc.constantFrom(...REDIRECT_CASES.map(({ redirectUri }) => redirectUri)),
  fc.array(fc.constantFrom(...pieces), { maxLength: 10 }).map((parts) => parts.join('')),
  fc.array(fc.constantFrom(...pieces), { maxLength: 6 }).map((parts) => `${ROOT}${parts.join('')}`),
  fc
    .array(fc.constantFrom(...pieces), { maxLength: 6 })
    .map((parts) => encodeURIComponent(`${ROOT}/${parts.join('')}`)),
  fc.constantFrom(...ODD_TEXTS),
)

it('redirects only to the gateway', async () => {
  await tryAll(fc.tuple(redirects, fc.boolean()), RUNS, async ([redirectUri, signedIn]) => {
    sent += 1
    const answer = await answerConnect(vasp.app, vasp.auth, connectRequest({ redirect_uri: redirectUri }), {
      readSession: async () => (signedIn ? session : null),
      binding: 'secret-of-this-browser',
    })
    const location = answer.headers.get('location')
    if (answer.status === 400) {
      expect([await answer.text(), location]).toEqual(['Invalid redirect_uri', null])
      return
    }
    expect(answer.status).toBe(303)
    if (!signedIn) expect(location).toMatch(/^\/login\?pending=/)
    else {
      const url = new URL(location ?? '')
      expect([url.origin, url.username, url.password, url.hash]).toEqual([ROOT, '', '', ''])
      expect([url.searchParams.getAll('token').length, url.searchParams.getAll('currency').length]).toEqual([1, 1])
    }
  })
})

it('has sent enough inputs, and logged no failure', () => {
  console.log(`Tokens and redirects: TEST_SEED=${SEED}, ${sent} inputs`)
  expect(sent).toBeGreaterThanOrEqual(2.9 * RUNS)
  expect(vasp.logged.filter((line) => line.includes('request failed'))).toEqual([])
})
