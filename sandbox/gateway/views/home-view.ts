import { html } from 'hono/html'
import { textField, type Html } from '../../shared/page'
import { permissionsOf } from '../commands'
import type { Login } from '../login'
import { page } from '../page'
import type { GatewaySettings } from '../settings'
import { isOver, type Connection } from '../store'
import { endOf } from './times'

/** The public gateway's page has this element too. A VASP recognizes a gateway by it. */
function gatewayMark({ UMA_VASP_LOGIN_URL }: GatewaySettings): Html {
  return html`<meta name="uma-vasp-login-url" content="${UMA_VASP_LOGIN_URL}" />`
}

/** The start page of a browser without a sign-in. */
export function welcomeView(settings: GatewaySettings, returnPath: string, relayConnected: boolean): Html {
  return page(
    { login: undefined, head: gatewayMark(settings) },
    'Sign in',
    html`<h1>Connect an app to your wallet at ${settings.VASP_NAME}</h1>
      <p class="lead">
        This gateway has no accounts of its own. You sign in at ${settings.VASP_NAME}, then choose here what an app may
        do.
      </p>
      ${relayNotice(settings, relayConnected)}
      <form action="/login" method="get">
        <input type="hidden" name="return" value="${returnPath}" />
        ${textField({
          name: 'uma_username',
          label: 'User to sign in as (optional; an app sends it as uma_username)',
          more: html`placeholder="$alice" autocapitalize="none" spellcheck="false"`,
        })}
        <button class="main">Sign in at ${settings.VASP_NAME}</button>
      </form>`,
  )
}

export function homeView(
  settings: GatewaySettings,
  login: Login,
  connections: readonly Connection[],
  relayConnected: boolean,
  nowSeconds: number,
): Html {
  const open = connections.filter((each) => !isOver(each.expiresAtSeconds, nowSeconds))
  const ended = connections.filter((each) => isOver(each.expiresAtSeconds, nowSeconds))
  return page(
    { login, head: gatewayMark(settings), isHome: true },
    'Connections',
    html`<h1>Connections of ${login.address}</h1>
      <p class="row"><a class="button main" href="/connection/new">Create manual connection</a></p>
      ${relayNotice(settings, relayConnected)}
      ${
        open.length === 0
          ? html`<p class="lead">
              No connections yet. Start in an app that accepts a UMA address, or create a manual connection and paste
              its pairing URI into an app.
            </p>`
          : list(open, nowSeconds)
      }
      ${
        ended.length === 0
          ? ''
          : html`<h2>Ended</h2>
              ${list(ended, nowSeconds)}`
      }`,
  )
}

function list(connections: readonly Connection[], nowSeconds: number): Html {
  return html`<ul class="plain">
    ${connections.map(
      (connection) =>
        html`<li>
          <a href="/connection/${connection.id}">${connection.name}</a>
          <span class="label"
            >${connection.clientApp === null ? 'manual' : 'app'} ·
            ${permissionsOf(connection.permissions)
              .map(({ title }) => title)
              .join(', ')}
            · ${endOf(connection, nowSeconds)}</span
          >
        </li>`,
    )}
  </ul>`
}

function relayNotice(settings: GatewaySettings, connected: boolean): Html {
  return connected
    ? html``
    : html`<p class="notice" role="status">
        The relay ${settings.RELAY} does not answer. No app can reach a wallet through this gateway. The gateway tries
        again every few seconds.
      </p>`
}
