import { html } from 'hono/html'
import type { Login } from '../login'
import { page, type Html } from '../page'
import type { GatewaySettings } from '../settings'
import type { Connection } from '../store'
import { endOf, hasEnded } from './times'

/** The start page of a browser without a sign-in. */
export function welcomeView(settings: GatewaySettings, returnPath: string, relayConnected: boolean): Html {
  return page(
    'Sign in',
    html`<h1>Connect an app to your wallet at ${settings.VASP_NAME}</h1>
      <p class="lead">
        This gateway has no accounts of its own. ${settings.VASP_NAME} says who you are, then you decide here what an
        app may do.
      </p>
      ${relayNotice(settings, relayConnected)}
      <form action="/login" method="get">
        <input type="hidden" name="return" value="${returnPath}" />
        <p>
          <label>
            <span class="label">Ask for a person (optional, an app would send it as uma_username)</span><br />
            <input type="text" name="uma_username" placeholder="$alice" autocapitalize="none" spellcheck="false" />
          </label>
        </p>
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
  const open = connections.filter((each) => !hasEnded(each, nowSeconds))
  const ended = connections.filter((each) => hasEnded(each, nowSeconds))
  return page(
    'Connections',
    html`<h1>Connections of ${login.address}</h1>
      <div class="row">
        <a class="button main" href="/connection/new">Manual connection</a>
        <form action="/logout" method="post"><button>Sign out of the gateway</button></form>
      </div>
      ${relayNotice(settings, relayConnected)}
      ${
        open.length === 0
          ? html`<p class="lead">
              None yet. Start in an app that takes a UMA address, or make a manual connection and paste its pairing URI
              into an app.
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
  return html`<ul>
    ${connections.map(
      (connection) =>
        html`<li>
          <a href="/connection/${connection.id}">${connection.name}</a>
          <span class="label"
            >${connection.clientApp === null ? 'manual' : 'app'} · ${connection.permissions.join(', ')} ·
            ${endOf(connection, nowSeconds)}</span
          >
        </li>`,
    )}
  </ul>`
}

function relayNotice(settings: GatewaySettings, connected: boolean): Html {
  return connected
    ? html``
    : html`<p class="notice" role="status">
        The relay ${settings.RELAY} does not answer, so no app can reach a wallet through here. It is tried again every
        few seconds.
      </p>`
}
