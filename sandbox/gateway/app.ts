import type { Hono } from 'hono'
import { deleteCookie, getCookie } from 'hono/cookie'
import { cors } from 'hono/cors'
import { setText } from '../../lib/web/form-fields'
import { makeSite } from '../shared/site'
import { connectionRoutes } from './connection-routes'
import { cookieOf, loginOf, signIn, type Env, type GatewayDeps } from './context'
import { COPY_SCRIPT } from './copy-script'
import { loginUrl, readLogin, returnPathOf, type Login } from './login'
import { MARK } from './mark'
import { repeatedParameter } from './oauth-parameters'
import { oauthRoutes } from './oauth-routes'
import { problemPage } from './page'
import { STYLE } from './style'
import { homeView, welcomeView } from './views/home-view'

/** Endpoints that apps call from any origin and without cookies. */
const FOR_APPS = ['/oauth/token', '/oauth/revoke']

/** The simulator as one function from Request to Response. It calls the VASP exactly as the public gateway does. */
export function createGateway(deps: GatewayDeps): Hono<Env> {
  const { settings, store, nowSeconds } = deps
  const vaspOrigin = new URL(settings.UMA_VASP_LOGIN_URL).origin
  const app = makeSite<Env>({
    what: 'the gateway simulator',
    origin: new URL(settings.NWC_APP_ROOT_URL).origin,
    style: STYLE,
    mark: MARK,
    scripts: { '/copy.js': COPY_SCRIPT },
    forPrograms: FOR_APPS,
    formTargets(context) {
      const returnsTo = context.get('returnsTo') as string | undefined
      return returnsTo === undefined ? [vaspOrigin] : [vaspOrigin, sourceOf(returnsTo)]
    },
    problemPage: (context, title, text) => problemPage(loginOf(deps, context), title, text),
  })
  for (const path of FOR_APPS) {
    app.use(path, cors({ origin: '*', allowMethods: ['POST'] }))
    app.on(['GET', 'PUT', 'PATCH', 'DELETE'], path, (context) =>
      context.json({ error: 'invalid_request', error_description: `Send a POST request to ${path}.` }, 405, {
        Allow: 'POST, OPTIONS',
      }),
    )
  }

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
        problemPage(
          undefined,
          'Invalid sign-in',
          `The address has ${repeated} twice. Each parameter may be sent once.`,
        ),
        400,
      )
    const returnPath = returnPathOf(setText(context.req.query('fe_redirect')))
    if (returnPath === undefined)
      return context.html(
        problemPage(undefined, 'Wrong return path', 'fe_redirect must be a path of this site, without a dot.'),
        400,
      )
    try {
      signIn(deps, context, await readLogin(settings, context.req.query('token'), context.req.query('currency')))
      return context.redirect(returnPath, 303)
    } catch (error) {
      return context.html(
        problemPage(
          undefined,
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
