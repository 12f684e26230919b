import { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { deleteCookie, getCookie } from 'hono/cookie'
import { cors } from 'hono/cors'
import { setText } from '../../lib/web/form-fields'
import { BUSY_FORMS } from '../shared/busy-forms'
import { FONT_HEADERS, fontFile } from '../shared/fonts'
import { addressAtOwnHost, isOwnForm } from '../shared/own-site'
import { cookieOf, loginOf, signIn, type Env, type GatewayDeps } from './context'
import { connectionRoutes } from './connection-routes'
import { COPY_SCRIPT } from './copy-script'
import { loginUrl, readLogin, returnPathOf, type Login } from './login'
import { oauthRoutes } from './oauth-routes'
import { MARK } from './mark'
import { repeatedParameter } from './oauth-parameters'
import { problemPage } from './page'
import { STYLE } from './style'
import { homeView, welcomeView } from './views/home-view'

const MAX_BODY_BYTES = 64 * 1024
const SCRIPT_HEADERS = { 'Content-Type': 'text/javascript; charset=utf-8' }
/** Endpoints that apps call from any origin and without cookies. Every other POST is a form of ours. */
const FOR_APPS = ['/oauth/token', '/oauth/revoke']

/** The simulator as one function from Request to Response. It calls the VASP exactly as the public gateway does. */
export function createGateway(deps: GatewayDeps): Hono<Env> {
  const { settings, store, nowSeconds } = deps
  const app = new Hono<Env>()
  const vaspOrigin = new URL(settings.UMA_VASP_LOGIN_URL).origin
  const ownOrigin = new URL(settings.NWC_APP_ROOT_URL).origin
  const busyForms = BUSY_FORMS.read()

  app.use(async (context, next) => {
    await next()
    const returnsTo = context.get('returnsTo') as string | undefined
    const targets = [`'self'`, vaspOrigin, ...(returnsTo === undefined ? [] : [sourceOf(returnsTo)])].join(' ')
    context.header(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    )
    // Not `no-referrer`: browsers then send `Origin: null` with our own forms.
    context.header('Referrer-Policy', 'same-origin')
    context.header('X-Content-Type-Options', 'nosniff')
    if (!context.res.headers.has('Cache-Control')) context.header('Cache-Control', 'no-store')
  })
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (context) => context.text('The request body is larger than 64 kB.', 413),
    }),
  )
  for (const path of FOR_APPS) {
    app.use(path, cors({ origin: '*', allowMethods: ['POST'] }))
    app.on(['GET', 'PUT', 'PATCH', 'DELETE'], path, (context) =>
      context.json({ error: 'invalid_request', error_description: `Send a POST request to ${path}.` }, 405, {
        Allow: 'POST, OPTIONS',
      }),
    )
  }
  app.use(async (context, next) => {
    const { method, path } = context.req
    const elsewhere = addressAtOwnHost(context.req.raw, ownOrigin)
    if (elsewhere !== undefined) return context.redirect(elsewhere, 307)
    if (method === 'POST' && !FOR_APPS.includes(path) && !isOwnForm(context.req.raw.headers, ownOrigin)) {
      return context.html(
        problemPage(
          'Refused',
          `This form was sent from another site or another address. Nothing was changed. Open this gateway at ${ownOrigin}, and use its forms there.`,
        ),
        403,
      )
    }
    return next()
  })

  app.get('/-/alive', (context) => context.text('ok'))
  app.get('/style.css', (context) => context.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }))
  app.get('/mark.svg', (context) => context.body(MARK, 200, { 'Content-Type': 'image/svg+xml' }))
  app.get('/fonts/:name', (context) => {
    const font = fontFile(context.req.param('name'))
    return font === undefined ? context.notFound() : context.body(font, 200, FONT_HEADERS)
  })
  app.get(BUSY_FORMS.path, (context) => context.body(busyForms, 200, SCRIPT_HEADERS))
  app.get('/copy.js', (context) => context.body(COPY_SCRIPT, 200, SCRIPT_HEADERS))

  app.get('/', (context) => {
    const login = loginOf(deps, context)
    const appKey = setText(context.req.query('connection'))
    if (appKey !== undefined) return context.redirect(pathOfConnection(deps, login, appKey), 303)
    if (login === undefined) return context.html(welcomeView(settings, '/', deps.relayConnected()))
    return context.html(homeView(settings, login, store.connectionsOf(login.sub), deps.relayConnected(), nowSeconds()))
  })

  app.get('/login', (context) => {
    const returnPath = returnPathOf(setText(context.req.query('return'))) ?? '/'
    return context.redirect(loginUrl(settings, returnPath, setText(context.req.query('uma_username'))), 302)
  })

  app.get('/auth/vasp_token_callback', async (context) => {
    const repeated = repeatedParameter(new URL(context.req.url).searchParams)
    if (repeated !== undefined)
      return context.html(
        problemPage('Invalid sign-in', `The address has ${repeated} twice. Each parameter may be sent once.`),
        400,
      )
    const returnPath = returnPathOf(setText(context.req.query('fe_redirect')))
    if (returnPath === undefined)
      return context.html(
        problemPage('Wrong return path', 'fe_redirect must be a path of this site, without a dot.'),
        400,
      )
    try {
      signIn(deps, context, await readLogin(settings, context.req.query('token'), context.req.query('currency')))
      return context.redirect(returnPath, 303)
    } catch (error) {
      return context.html(
        problemPage(
          'Invalid sign-in',
          error instanceof Error ? error.message : 'The token is not valid. Sign in again.',
        ),
        400,
      )
    }
  })

  app.post('/logout', (context) => {
    store.signOut(getCookie(context, cookieOf(deps)))
    deleteCookie(context, cookieOf(deps), { path: '/' })
    return context.redirect('/', 303)
  })

  app.route('/', oauthRoutes(deps))
  app.route('/', connectionRoutes(deps))

  app.notFound((context) => context.html(problemPage('Page not found', 'The address may be mistyped.'), 404))
  app.onError((error, context) => {
    console.error(error)
    return context.html(
      problemPage('The simulator failed', 'This was not your fault. See the log of the simulator.'),
      500,
    )
  })
  return app
}

/**
 * Where a link from an app's page leads: to the sign-in page if needed, then to the connection with this public key, or
 * else to the list.
 */
function pathOfConnection({ settings, store }: GatewayDeps, login: Login | undefined, appKey: string): string {
  if (login === undefined) return loginUrl(settings, `/?${new URLSearchParams({ connection: appKey })}`)
  const found = store.connectionsOf(login.sub).find(({ appPublicKey }) => appPublicKey === appKey)
  return found === undefined ? '/' : `/connection/${found.id}`
}

/** An address as a source of a content security policy: its origin, or its scheme when it is not a web address. */
function sourceOf(address: string): string {
  const { origin, protocol } = new URL(address)
  return origin === 'null' ? protocol : origin
}
