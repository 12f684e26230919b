import { Hono, type Context } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { AppDeps } from './deps'
import { catalogueView } from './catalogue-view'
import { MARK } from './icons'
import { BUSY_FORMS } from '../shared/busy-forms'
import { FONT_HEADERS, fontFile } from '../shared/fonts'
import { addressAtOwnHost, isOwnForm } from '../shared/own-site'
import { problemPage } from './page'
import { connectionRoutes } from './connection-routes'
import { orderRoutes } from './order-routes'
import { ShopError, type Problem } from './problem'
import type { ShopSettings } from './settings'
import { Sessions } from './sessions'
import { checkOwnWallet } from './wallet-calls'
import { STYLE } from './style'
import { html } from 'hono/html'
import { page } from './page'

const MAX_BODY_BYTES = 64 * 1024
/** Browsers reach the gateway through a link, so forms target this shop only. */
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The shop as one function from Request to Response. */
export function createShop(settings: ShopSettings, deps: AppDeps): Hono {
  const app = new Hono()
  const sessions = new Sessions(deps, settings)
  const busyForms = BUSY_FORMS.read()

  app.use(async (context, next) => {
    await next()
    context.header('Content-Security-Policy', POLICY)
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

  const show = (
    context: Context,
    title: string,
    problem: Problem,
    status: 400 | 403 | 404 | 409 | 500,
  ): Response | Promise<Response> =>
    context.html(
      problemPage(sessions.frame(context), title, problem, html`<a class="button" href="/">Back to the catalogue</a>`),
      status,
    )

  app.use(async (context, next) => {
    const elsewhere = addressAtOwnHost(context.req.raw, settings.APP_ROOT_URL)
    if (elsewhere !== undefined) return context.redirect(elsewhere, 307)
    if (context.req.method === 'POST' && !isOwnForm(context.req.raw.headers, settings.APP_ROOT_URL))
      return show(context, 'Refused', foreignForm(settings.APP_ROOT_URL), 403)
    return next()
  })

  app.get('/-/alive', (context) => context.text('ok'))
  // Until the relay has the registration, a gateway does not know the shop.
  app.get('/-/ready', (context) =>
    deps.isRegistered() ? context.text('ok') : context.text('The relay has not confirmed the registration yet.', 503),
  )
  app.get('/-/own-wallet', async (context) => context.json(await checkOwnWallet(deps)))
  app.get('/style.css', (context) => context.body(STYLE, 200, { 'Content-Type': 'text/css; charset=utf-8' }))
  app.get(BUSY_FORMS.path, (context) =>
    context.body(busyForms, 200, { 'Content-Type': 'text/javascript; charset=utf-8' }),
  )
  app.get('/mark.svg', (context) => context.body(MARK, 200, { 'Content-Type': 'image/svg+xml' }))
  app.get('/fonts/:name', (context) => {
    const bytes = fontFile(context.req.param('name'))
    if (bytes === undefined) return context.text('Font not found.', 404)
    return context.body(bytes, 200, FONT_HEADERS)
  })
  app.get('/.well-known/nostr.json', (context) =>
    context.json({ names: { _: deps.identity.publicKey } }, 200, { 'Access-Control-Allow-Origin': '*' }),
  )

  app.get('/', (context) => {
    const session = sessions.session(context)
    const content = catalogueView({
      open: deps.store.connection(session, 'merchant') !== null,
      connected: deps.store.connection(session, 'customer') !== null,
      orders: session?.orders ?? [],
    })
    return context.html(page(sessions.frame(context, 'catalogue'), 'Catalogue', content))
  })
  app.route('/', connectionRoutes(settings, deps, sessions))
  app.route('/', orderRoutes(settings, deps, sessions))

  app.notFound((context) => show(context, 'Page not found', noPage, 404))
  app.onError((error, context) => {
    if (error instanceof ShopError) return show(context, 'Request failed', error.problem, 409)
    console.error(error)
    return show(context, 'The shop failed', ownFault, 500)
  })
  return app
}

const foreignForm = (ownOrigin: string): Problem => ({
  code: 'FOREIGN_FORM',
  message: 'This form was sent from another site or another address.',
  meaning: 'Nothing was changed.',
  side: 'shop',
  todo: `Open the shop at ${ownOrigin}, and use its forms there.`,
})
const noPage: Problem = {
  code: 'NO_PAGE',
  message: 'This address does not exist in the shop.',
  meaning: 'It may be mistyped, or the order belongs to another browser.',
  side: 'shop',
  todo: 'Start at the catalogue.',
}
const ownFault: Problem = {
  code: 'SHOP_FAILED',
  message: 'The shop failed. This was not your fault.',
  meaning: 'The log of the shop shows the cause. The shop keeps running.',
  side: 'shop',
  todo: 'Try again.',
}
