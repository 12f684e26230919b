import { html } from 'hono/html'
import { page, type Html } from '../page'
import type { GatewaySettings } from '../settings'
import type { Exchange } from '../vasp-client'
import { exchangeView } from './exchange-view'

export function deniedView(settings: GatewaySettings): Html {
  return page(
    'Denied',
    html`<h1>You denied it</h1>
      <p class="lead">
        Nothing was asked of ${settings.VASP_NAME} and nothing was stored. An app would now be told
        <code>access_denied</code>.
      </p>
      <p><a class="button" href="/">To your connections</a></p>`,
  )
}

export function refusedView(problem: string, exchanges: readonly Exchange[], again: string): Html {
  return page(
    'Not connected',
    html`<h1>The connection was not made</h1>
      <p class="lead" role="alert">${problem} Nothing was stored. The public gateway shows a bare 500 here.</p>
      <p><a class="button" href="${again}">Try again</a></p>
      ${exchanges.map(exchangeView)}`,
  )
}
