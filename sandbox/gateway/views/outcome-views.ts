import { html } from 'hono/html'
import type { Html } from '../../shared/page'
import type { Login } from '../login'
import { page } from '../page'
import type { GatewaySettings } from '../settings'
import type { Exchange } from '../vasp-client'
import { exchangeView } from './exchange-view'

export function deniedView(settings: GatewaySettings, login: Login): Html {
  return page(
    { login },
    'Denied',
    html`<h1>Request denied</h1>
      <p class="lead">
        Nothing was sent to ${settings.VASP_NAME} and nothing was stored. The app receives
        <code>access_denied</code>.
      </p>
      <p><a class="button" href="/">Back to connections</a></p>`,
  )
}

export function refusedView(login: Login, problem: string, exchanges: readonly Exchange[], again: string): Html {
  return page(
    { login },
    'Not connected',
    html`<h1>The connection was not created</h1>
      <p class="lead" role="alert">${problem} Nothing was stored. A public gateway shows a plain error 500 here.</p>
      <p><a class="button" href="${again}">Try again</a></p>
      ${exchanges.map((exchange) => exchangeView(exchange, true))}`,
  )
}
