import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { deleteCookie, getCookie, setCookie } from 'hono/cookie'
import { connect } from './connect'
import { loginUrl, readLogin, returnPathOf, type Login } from './login'
import { problemPage } from './page'
import type { GatewaySettings } from './settings'
import type { Store } from './store'
import { STYLE } from './style'
import { callVasp } from './vasp-client'
import { LIVES, approvalView, connectionView, deniedView, homeView, refusedView, welcomeView } from './views'

/** Cookies ignore ports: the name must not be one of the VASP's. */
const COOKIE = 'gateway.session'
const LARGEST_BODY = 64 * 1024
const WHOLE_LIMIT_SMALLEST_UNITS = 5_000

export interface GatewayDeps {
  readonly store: Store
  readonly nowSeconds: () => number
}

/** The stand-in as one function from Request to Response. Towards the VASP it speaks the public gateway's dialect. */
export function createGateway(settings: GatewaySettings, { store, nowSeconds }: GatewayDeps): Hono {
  const app = new Hono()
  const vaspOrigin = new URL(settings.UMA_VASP_LOGIN_URL).origin
  const ownOrigin = new URL(settings.NWC_APP_ROOT_URL).origin
  const policy = `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' ${vaspOrigin}; base-uri 'none'; frame-ancestors 'none'`

  app.use(async (context, next) => {
    await next()
    context.header('Content-Security-Policy', policy)
    // Not `no-referrer`: browsers then send `Origin: null` with our own forms.
    context.header('Referrer-Policy', 'same-origin')
    context.header('X-Content-Type-Options', 'nosniff')
    context.header('Cache-Control', 'no-store')
  })
  app.use(
    bodyLimit({
      maxSize: LARGEST_BODY,
      onError: (context) => context.text('The request body is larger than 64 kB.', 413),
    }),
  )
  // Every port of localhost shares one cookie jar, so a form must say that it is ours.
  app.use(async (context, next) => {
    if (context.req.method === 'POST' && context.req.header('origin') !== ownOrigin) {
      return context.html(problemPage('Refused', 'This form was sent from another site. Nothing was changed.'), 403)
    }
    return next()
  })

  const loginOf = (context: Context): Login | undefined => store.login(getCookie(context, COOKIE), nowSeconds())

  app.get('/-/alive', (context) => context.text('ok'))
  app.get('/style.css', (context) => context.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }))

  app.get('/', (context) => {
    const login = loginOf(context)
    if (login === undefined) return context.html(welcomeView(settings, '/'))
    return context.html(homeView(settings, login, store.connectionsOf(login.sub)))
  })

  app.get('/login', (context) => {
    const returnPath = returnPathOf(context.req.query('return')) ?? '/'
    return context.redirect(loginUrl(settings, returnPath, context.req.query('uma_username')), 302)
  })

  app.get('/auth/vasp_token_callback', async (context) => {
    const returnPath = returnPathOf(context.req.query('fe_redirect'))
    if (returnPath === undefined)
      return context.html(
        problemPage('Wrong return path', 'fe_redirect must be a path of this site, without a dot.'),
        400,
      )
    try {
      const login = await readLogin(settings, context.req.query('token'), context.req.query('currency'))
      // The public gateway sends the token on in the page's address; here it stays on the server behind a cookie.
      setCookie(context, COOKIE, store.signIn(login), { httpOnly: true, sameSite: 'Lax', path: '/', maxAge: 3_600 })
      return context.redirect(returnPath, 303)
    } catch (error) {
      return context.html(
        problemPage('The sign-in cannot be used', error instanceof Error ? error.message : 'It cannot be read.'),
        400,
      )
    }
  })

  app.post('/logout', (context) => {
    store.signOut(getCookie(context, COOKIE))
    deleteCookie(context, COOKIE, { path: '/' })
    return context.redirect('/', 303)
  })

  app.get('/connection/new', (context) => {
    const login = loginOf(context)
    // The public gateway signs in anew at each full page load; the VASP answers silently while its session lives.
    if (login === undefined) return context.redirect(loginUrl(settings, '/connection/new'), 302)
    return context.html(
      approvalView(settings, login, `App of ${new Date(nowSeconds() * 1000).toISOString().slice(0, 10)}`),
    )
  })

  app.post('/connection/new', async (context) => {
    const login = loginOf(context)
    if (login === undefined) return context.redirect(loginUrl(settings, '/connection/new'), 302)
    const form = new URLSearchParams(await context.req.text())
    if (form.get('decision') !== 'connect') return context.html(deniedView(settings))
    const name = (form.get('name') ?? '').trim().slice(0, 80)
    const life = LIVES.find(([value]) => value === form.get('life'))
    if (name === '' || life === undefined)
      return context.html(problemPage('Not connected', 'A name and an end are needed.'), 400)
    const result = await connect(
      settings,
      login,
      { name, groups: form.getAll('group'), lifeSeconds: life[2] },
      nowSeconds(),
    )
    if ('problem' in result) return context.html(refusedView(result.problem, result.exchanges), 502)
    store.add(result.connection)
    return context.redirect(`/connection/${result.connection.id}`, 303)
  })

  app.get('/connection/:id', (context) => {
    const login = loginOf(context)
    if (login === undefined) return context.redirect(loginUrl(settings, new URL(context.req.url).pathname), 302)
    const connection = store.connection(context.req.param('id'), login.sub)
    if (connection === undefined)
      return context.html(problemPage('No such connection', 'It may belong to another person.'), 404)
    return context.html(connectionView(connection))
  })

  app.post('/connection/:id/call', async (context) => {
    const login = loginOf(context)
    const connection = login === undefined ? undefined : store.connection(context.req.param('id'), login.sub)
    if (connection === undefined)
      return context.html(
        problemPage('No such connection', 'It may belong to another person, or you are signed out.'),
        404,
      )
    const path = pathOf(new URLSearchParams(await context.req.text()).get('command'), connection.currency.code)
    store.record(connection, await callVasp('GET', `${settings.VASP_UMA_API_BASE_URL}${path}`, connection.longToken))
    return context.redirect(`/connection/${connection.id}`, 303)
  })

  app.notFound((context) => context.html(problemPage('There is no such page', 'The address may be mistyped.'), 404))
  app.onError((error, context) => {
    console.error(error)
    return context.html(problemPage('The stand-in failed', 'This is its own fault. Its output says why.'), 500)
  })
  return app
}

/** The call behind a button. For get_budget the public gateway asks what a whole fiat limit is worth in SAT. */
function pathOf(command: string | null, currencyCode: string): string {
  if (command === 'get_balance') return '/balance'
  if (command !== 'get_budget') return '/info'
  const query = {
    sending_currency_code: currencyCode,
    sending_currency_amount: String(WHOLE_LIMIT_SMALLEST_UNITS),
    budget_currency_code: 'SAT',
  }
  return `/budget_estimate?${new URLSearchParams(query)}`
}
