import type { Hono } from 'hono'
import { html } from 'hono/html'
import { problemContent } from '../shared/page'
import { makeSite } from '../shared/site'
import { catalogueView } from './catalogue-view'
import { connectionRoutes } from './connection-routes'
import type { AppDeps } from './deps'
import { MARK } from './icons'
import { orderRoutes } from './order-routes'
import { page, problemPage } from './page'
import { ShopError } from './problem'
import { Sessions } from './sessions'
import type { ShopSettings } from './settings'
import { STYLE } from './style'
import { checkOwnWallet } from './wallet-calls'

/** The shop as one function from Request to Response. Browsers reach the gateway through a link, so forms target the shop only. */
export function createShop(settings: ShopSettings, deps: AppDeps): Hono {
  const sessions = new Sessions(deps, settings)
  const back = html`<a class="button" href="/">Back to the catalogue</a>`
  const app = makeSite({
    what: 'the shop',
    origin: settings.APP_ROOT_URL,
    style: STYLE,
    mark: MARK,
    problemPage: (context, title, text) => page(sessions.frame(context), title, problemContent(title, text, back)),
    explain: (context, error) =>
      error instanceof ShopError
        ? context.html(problemPage(sessions.frame(context), 'Request failed', error.problem, back), 409)
        : undefined,
  })

  // Until the relay has the registration, a gateway does not know the shop.
  app.get('/-/ready', (context) =>
    deps.isRegistered() ? context.text('ok') : context.text('The relay has not confirmed the registration yet.', 503),
  )
  app.get('/-/own-wallet', async (context) => context.json(await checkOwnWallet(deps)))
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

  return app
}
