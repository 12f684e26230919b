import { Browser } from '../browser.ts'
import { caseGroup, type CaseText, type ConformanceCase } from '../case.ts'
import { check, isRecord, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { CurrencyModel } from '../models.ts'
import { ERRORS, FLOW, SPEC } from '../sentences.ts'
import { withQuery } from '../session.ts'
import { doSteps } from '../sign-in.ts'
import { CannotRun, COMMANDS, Failure, NEEDS, NotApplicable, NotRun } from '../verdict.ts'

const redirects = caseGroup(FLOW, ['login.silent'], ['browser'])

const ADVICE =
  'Parse redirect_uri and compare origin and path with the gateway root. Answer 400 with the text Invalid redirect_uri to everything else.'
const FOREIGN_HOST = 'conformance.example'

/** The address to which the gateway asks users back. */
const callbackOf = async ({ session, client }: CaseContext): Promise<string> =>
  `${await session.gatewayAddress(client)}/auth/vasp_token_callback`

/** Opens the login address with the session of the first user; the query is sent as it is. */
async function openLogin(context: CaseContext, query: string, method = 'GET'): Promise<Reply> {
  const browser = await context.browser()
  return browser.send(context.client, { method, url: withQuery(context.target.login, query) })
}

/** The address at the gateway to which a signed-in user is redirected for this `redirect_uri`, already encoded. */
async function returnOf(context: CaseContext, encoded: string): Promise<URL> {
  const browser = await context.browser()
  const url = withQuery(context.target.login, `redirect_uri=${encoded}`)
  const isGateway = await context.session.isGateway(context.client)
  const { reply, stoppedAt } = await browser.visit(context.client, { url }, isGateway)
  check(stoppedAt !== undefined, `The login address answered ${reply.status} instead of a redirect to the gateway.`)
  return new URL(stoppedAt)
}

/** @throws Failure unless the login refuses with 400 and sends the browser nowhere. */
function checkRefusedLogin(reply: Reply, redirectUri: string): void {
  const location = reply.headers.get('location')
  check(
    location === null || reply.status < 300 || reply.status > 399,
    `For ${show(redirectUri)}, the browser was redirected to ${show(location)}.`,
  )
  check(reply.status === 400, `${show(redirectUri)} was answered with ${reply.status} instead of 400.`)
}

async function checkRedirectHeader(context: CaseContext, name: string, wanted: RegExp): Promise<void> {
  const reply = await openLogin(context, `redirect_uri=${encodeURIComponent(await callbackOf(context))}`)
  const value = reply.headers.get(name) ?? ''
  check(wanted.test(value), `${name} is ${show(value)}.`)
}

interface Refused {
  readonly name: string
  readonly title: string
  /** Values that the login must refuse; undefined when the gateway root has none of this kind. */
  readonly values: (root: URL) => readonly string[] | undefined
  /** Instead of the sentence of the specification, for a case of the level `should`. */
  readonly reason?: readonly [paragraph: string, quote: string]
}

const REFUSED: readonly Refused[] = [
  {
    name: 'foreign',
    title: 'refuses a redirect_uri with another host',
    values: () => [`https://${FOREIGN_HOST}/`, `http://${FOREIGN_HOST}/oauth/auth`],
  },
  {
    name: 'look-alike-suffix',
    title: 'refuses a host that begins with the host of the gateway',
    values: (root) => [
      `${root.protocol}//${root.host}.${FOREIGN_HOST}/`,
      `${root.protocol}//${root.hostname}.${FOREIGN_HOST}/`,
    ],
  },
  {
    name: 'look-alike-user-info',
    title: 'refuses the host of the gateway as user info of another host',
    values: (root) => [`${root.protocol}//${root.host}@${FOREIGN_HOST}/`],
  },
  {
    name: 'look-alike-port',
    title: 'refuses another port on the host of the gateway',
    values: (root) => [
      `${root.protocol}//${root.hostname}:${root.port === '' ? '8443' : root.port.slice(0, -1)}/`,
      `${root.protocol}//${root.hostname}:1/`,
    ],
  },
  {
    name: 'look-alike-scheme',
    title: 'refuses the other web scheme, and schemes other than http and https',
    values: (root) => [
      `${root.protocol === 'https:' ? 'http:' : 'https:'}//${root.host}/`,
      `javascript://${root.host}/%0aalert(1)`,
      `data:text/html,${root.host}`,
    ],
  },
  {
    name: 'look-alike-backslash',
    title: 'refuses a backslash in the host',
    values: (root) => [
      `${root.protocol}//${FOREIGN_HOST}\\@${root.host}/`,
      `${root.protocol}//${root.host}\\.${FOREIGN_HOST}/`,
    ],
  },
  {
    name: 'look-alike-control',
    title: 'refuses tabs and line breaks in the host',
    values: (root) => [
      `${root.protocol}//${root.host}\t.${FOREIGN_HOST}/`,
      `${root.protocol}//${root.host}\n.${FOREIGN_HOST}/`,
    ],
  },
  {
    name: 'look-alike-encoded',
    title: 'refuses a foreign address that is encoded twice',
    values: (root) => [
      encodeURIComponent(`${root.protocol}//${root.host}@${FOREIGN_HOST}/`),
      encodeURIComponent(`https://${FOREIGN_HOST}/`),
    ],
  },
  {
    name: 'relative',
    title: 'refuses a redirect_uri without a scheme',
    values: (root) => [`//${FOREIGN_HOST}/`, `//${root.host}/`, '/oauth/auth'],
  },
  {
    name: 'look-alike-path',
    title: 'refuses a path outside the path of the gateway root',
    values: (root) => {
      const path = root.pathname.replace(/\/$/, '')
      return path === '' ? undefined : [`${root.origin}${path}evil`, `${root.origin}${path}/../evil`, `${root.origin}/`]
    },
  },
  {
    name: 'fragment',
    title: 'refuses a redirect_uri with a fragment',
    reason: [
      'RFC 6749, 3.1.2',
      'The token could end up inside the fragment, and a browser does not send a fragment to the gateway.',
    ],
    values: (root) => [`${root.href}#fragment`],
  },
]

const refusedCases = REFUSED.map(({ name, title, values, reason }): ConformanceCase => {
  const text: Omit<CaseText, 'source'> = {
    advice: ADVICE,
    async run(context) {
      const redirectUris = values(await context.session.gatewayRoot(context.client))
      if (redirectUris === undefined) throw new NotApplicable('the gateway root has no path')
      for (const redirectUri of redirectUris)
        checkRefusedLogin(await openLogin(context, `redirect_uri=${encodeURIComponent(redirectUri)}`), redirectUri)
    },
  }
  if (reason !== undefined) return redirects.should(`login.${name}`, title, { ...text, source: reason })
  return redirects.must(`login.${name}`, title, { ...text, source: SPEC.fromGateway })
})

export const loginCases: readonly ConformanceCase[] = [
  redirects.must('login.sign-in', 'redirects a signed-in user to the gateway, with a token', {
    source: SPEC.redirect,
    advice: 'After sign-in, redirect the browser to redirect_uri and add the parameters token and currency.',
    dependsOn: [],
    needs: ['gateway-root'],
    run: (context) => context.loginToken(),
  }),
  redirects.must('login.signed-out', 'gives no token to a browser that has not signed in', {
    source: SPEC.existingLogin,
    advice: 'Check the session before you issue a token.',
    dependsOn: [],
    needs: ['gateway-root'],
    async run(context) {
      const isGateway = await context.session.isGateway(context.client)
      const url = context.session.loginUrl(await callbackOf(context))
      const { stoppedAt } = await new Browser().visit(context.client, { url }, isGateway)
      check(stoppedAt === undefined, 'A browser without a session was redirected to the gateway.')
    },
  }),
  redirects.must('login.silent', 'redirects a signed-in user without showing a page', {
    source: SPEC.skipped,
    advice: "Redirect at once while the user's session is live. The gateway's own pages come back here at each load.",
    dependsOn: ['login.sign-in'],
    run: async (context) => returnOf(context, encodeURIComponent(await callbackOf(context))),
  }),
  redirects.must('login.currency', 'the parameter currency is a Currency as JSON', {
    source: SPEC.loginCurrency,
    advice: 'Send the JSON object {"code", "symbol", "name", "decimals"}, percent-encoded once.',
    dependsOn: ['login.sign-in'],
    needs: [],
    async run({ session, client }) {
      const values = new URL((await session.login(client, 'first')).returnedTo).searchParams.getAll('currency')
      check(values.length === 1, `The redirect has ${values.length} currency parameters instead of one.`)
      const [text = ''] = values
      let json: unknown
      try {
        json = JSON.parse(text)
      } catch {
        check(false, `currency is ${show(text)}, which is not JSON.`)
      }
      check(isRecord(json), `currency is ${show(json)}, which is not a JSON object.`)
      const parsed = CurrencyModel.safeParse(json)
      const fault = parsed.error?.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ')
      check(parsed.success, `currency is not a Currency: ${fault}.`)
    },
  }),
  redirects.gateway('login.currency-listed', 'the currency of the redirect is one of /info', {
    source: 'The gateway refuses a connection (400) whose currency is not in the list of GET /info.',
    advice: "Send the user's first currency of GET /info.",
    dependsOn: ['login.currency', 'info.currencies'],
    needs: [],
    async run(context) {
      const currency = await context.session.loginCurrency(context.client)
      const codes = (await context.currencies()).map(({ code }) => code)
      check(
        codes.includes(currency?.code ?? ''),
        `currency is ${show(currency?.code)}, and /info has ${codes.join(', ')}.`,
      )
    },
  }),
  redirects.should('login.default-currency', 'the currency of the redirect is the first of /info', {
    source: 'The gateway takes the first entry of GET /info as the default budget currency.',
    advice: 'Begin the currencies of GET /info with the default currency of the user.',
    dependsOn: ['login.currency-listed'],
    needs: [],
    async run(context) {
      const currency = await context.session.loginCurrency(context.client)
      const { code } = await context.defaultCurrency()
      check(currency?.code === code, `currency is ${show(currency?.code)}, and /info begins with ${code}.`)
    },
  }),
  redirects.gateway('login.keeps-parameters', 'keeps every parameter of redirect_uri', {
    source: "The gateway puts the app's whole request into redirect_uri and reads it again after the login.",
    advice:
      'Add token and currency to the existing query. Keep the other parameters as they are, including empty ones.',
    async run(context) {
      const given = new URLSearchParams({
        client_id: 'npub1 wss://relay.example',
        state: 'a+b/c=',
        optional_commands: '',
      })
      const back = await returnOf(
        context,
        encodeURIComponent(`${await context.session.gatewayAddress(context.client)}/oauth/auth?${given}`),
      )
      check(back.pathname.endsWith('/oauth/auth'), `The path became ${back.pathname}.`)
      for (const [name, value] of given)
        check(
          back.searchParams.get(name) === value,
          `${name} became ${show(back.searchParams.get(name) ?? undefined)}.`,
        )
    },
  }),
  redirects.gateway('login.nested-encoding', 'decodes a redirect_uri exactly once when it is encoded once', {
    source: "A second decoding cuts off the app's own redirect_uri at its first encoded &.",
    advice: 'Decode a second time only when the value does not begin with http:// or https://.',
    async run(context) {
      const app = 'https://app.example/back?a=1&b=2'
      const uri = `${await context.session.gatewayAddress(context.client)}/oauth/auth?redirect_uri=${encodeURIComponent(app)}&state=s`
      const back = await returnOf(context, encodeURIComponent(uri))
      const kept = back.searchParams.get('redirect_uri')
      check(kept === app, `The app's redirect_uri became ${show(kept ?? undefined)}.`)
      check(back.searchParams.get('state') === 's', 'The parameter after it was lost.')
    },
  }),
  redirects.gateway('login.double-encoding', 'accepts a redirect_uri that is encoded twice', {
    source: 'The pages of the gateway encode redirect_uri twice.',
    advice: 'Decode again when the value does not begin with http:// or https://, and check the result.',
    async run(context) {
      const uri = `${await callbackOf(context)}?fe_redirect=${encodeURIComponent('/apps/new?a=1')}`
      const back = await returnOf(context, encodeURIComponent(encodeURIComponent(uri)))
      const kept = back.searchParams.get('fe_redirect')
      check(kept === '/apps/new?a=1', `fe_redirect became ${show(kept ?? undefined)}.`)
    },
  }),
  redirects.should('login.replaces-token', 'replaces a token and a currency that redirect_uri already has', {
    source: 'With two token parameters, the gateway may read the one that an attacker chose.',
    advice: 'Set token and currency; do not append them.',
    async run(context) {
      const uri = `${await callbackOf(context)}?token=attacker&currency=attacker`
      const back = await returnOf(context, encodeURIComponent(uri))
      for (const name of ['token', 'currency']) {
        const values = back.searchParams.getAll(name)
        check(
          values.length === 1 && values[0] !== 'attacker',
          `The redirect has ${values.length} ${name} parameters, or keeps the value from redirect_uri.`,
        )
      }
    },
  }),
  ...refusedCases,
  redirects.must('login.refusal-text', 'the refusal has the text Invalid redirect_uri', {
    source: SPEC.invalidRedirect,
    advice: 'Answer 400 with the body Invalid redirect_uri, as plain text.',
    dependsOn: ['login.foreign'],
    async run(context) {
      const reply = await openLogin(context, `redirect_uri=${encodeURIComponent(`https://${FOREIGN_HOST}/`)}`)
      check(reply.text.trim() === 'Invalid redirect_uri', `The text is ${show(reply.text)}.`)
    },
  }),
  redirects.should('login.missing', 'refuses a request without redirect_uri', {
    source: [
      ERRORS,
      'Without redirect_uri there is no gateway to return to. Another page hides the fault of the caller.',
    ],
    advice: 'Answer 400 with Invalid redirect_uri when redirect_uri is missing or empty.',
    async run(context) {
      checkRefusedLogin(await openLogin(context, ''), 'no redirect_uri')
      checkRefusedLogin(await openLogin(context, 'redirect_uri='), 'an empty redirect_uri')
    },
  }),
  redirects.should('login.repeated', 'refuses a request with two redirect_uri parameters', {
    source: ['RFC 6749, 3.1', 'One part of the VASP could check the first value and another part use the second.'],
    advice: 'Answer 400 when redirect_uri is given more than once.',
    async run(context) {
      const good = encodeURIComponent(`${await context.session.gatewayAddress(context.client)}/oauth/auth`)
      const bad = encodeURIComponent(`https://${FOREIGN_HOST}/`)
      for (const [first, second] of [[good, bad] as const, [bad, good] as const])
        checkRefusedLogin(await openLogin(context, `redirect_uri=${first}&redirect_uri=${second}`), 'two redirect_uri')
    },
  }),
  redirects.should('login.head', 'issues no token for HEAD', {
    source: ['RFC 9110, 9.3.2', 'Link checkers send HEAD requests; each of them would create a login.'],
    advice: 'Answer HEAD and POST at the login address with 405.',
    async run(context) {
      const uri = encodeURIComponent(await callbackOf(context))
      const { status, headers } = await openLogin(context, `redirect_uri=${uri}`, 'HEAD')
      const location = headers.get('location') ?? ''
      check(status < 500, `HEAD was answered with ${status}.`)
      check(!/[?&]token=/.test(location), 'HEAD was answered with a token.')
    },
  }),
  redirects.should('login.no-store', 'the redirect with the token is not cached', {
    source: ['RFC 6749, 5.1', 'A cache that stores the redirect gives the token to the next user.'],
    advice: 'Answer with Cache-Control: no-store.',
    run: (context) => checkRedirectHeader(context, 'Cache-Control', /\bno-store\b/i),
  }),
  redirects.should('login.no-referrer', 'the redirect with the token sends no referrer', {
    source: ['RFC 9700, 4.2.4', 'The token is in an address. A referrer would show that address to another site.'],
    advice: 'Answer with Referrer-Policy: no-referrer.',
    run: (context) => checkRedirectHeader(context, 'Referrer-Policy', /no-referrer/i),
  }),
  redirects.should('login.bound', 'the sign-in belongs to the browser that opened the login address', {
    source: [
      'RFC 9700, 4.7',
      'An attacker opens the login address and gives the sign-in page to another user, who connects the app of the attacker.',
    ],
    advice: 'Store the request with the session cookie of the browser, and compare when the form comes back.',
    dependsOn: ['login.silent', 'login.signed-out'],
    async run({ session, client }) {
      const returned = await session.signInApart(client, true).catch((error: unknown) => {
        // A refused form ends as a wrong recipe does: the recipe is right, login.silent shows.
        if (error instanceof CannotRun || error instanceof Failure) return undefined
        throw error
      })
      check(returned === undefined, 'A browser without the cookies of the first page got a token with its form.')
    },
  }),
  redirects.should('login.signed-out-again', 'gives no token after the user signed out, and closes a login whole', {
    source: ['OWASP ASVS 3.3.1', 'The next person at this browser must not connect apps to the wallet.'],
    advice: 'End the session on the server, and remove its cookie. Look the login up at GET /info as in the exchange.',
    needs: ['browser', 'sign-out'],
    dependsOn: ['login.silent', 'login.signed-out'],
    async run(context) {
      const { session, client } = context
      const { browser, returnedTo } = await session.signInApart(client)
      const steps = session.options.signIn?.steps?.signOut ?? []
      if (browser === undefined) throw new NotRun(`needs ${NEEDS.browser}`)
      await doSteps(client, browser, steps)
      const url = session.loginUrl(`${await session.gatewayAddress(client)}/oauth/auth`)
      const { stoppedAt } = await browser.visit(client, { url }, await session.isGateway(client))
      check(stoppedAt === undefined, 'After sign-out, the browser was redirected to the gateway with a token.')
      const token = new URL(returnedTo).searchParams.get('token') ?? ''
      // A login may outlive its session. One that is closed, so that it creates no connection, opens nothing.
      if ((await session.exchange(client, token, { permissions: COMMANDS })).status !== 401) return
      const { status } = await context.api({ path: '/info', token })
      check(status === 401, `GET /info answered ${status} to a login token that the exchange refuses after sign-out.`)
    },
  }),
]
