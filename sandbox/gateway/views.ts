import { html } from 'hono/html'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { GROUPS, commandsOf } from './commands'
import type { Login } from './login'
import { page, type Html } from './page'
import type { GatewaySettings } from './settings'
import type { Connection } from './store'
import { errorForApp, type Exchange } from './vasp-client'

export const LIVES: readonly (readonly [string, string, number | undefined])[] = [
  ['none', 'No end', undefined],
  ['hour', 'One hour', 3_600],
  ['day', 'One day', 86_400],
  ['week', 'One week', 604_800],
  ['month', 'One month (30 days)', 2_592_000],
  ['year', 'One year (365 days)', 31_536_000],
]

/** The start for a browser that nobody has signed in on. */
export function welcomeView(settings: GatewaySettings, returnPath: string): Html {
  return page(
    'Sign in',
    html`<h1>Connect an app to your wallet at ${settings.VASP_NAME}</h1>
      <p class="lead">
        This gateway has no accounts of its own. ${settings.VASP_NAME} says who you are, then you decide here what an
        app may do.
      </p>
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

export function homeView(settings: GatewaySettings, login: Login, connections: readonly Connection[]): Html {
  return page(
    'Connections',
    html`<h1>Connections of ${login.address}</h1>
      <p class="row">
        <a class="button main" href="/connection/new">New connection</a>
        ${outForm()}
      </p>
      ${
        connections.length === 0
          ? html`<p class="lead">
              None yet. A new connection asks you what an app may do, then fetches a long-lived token from
              ${settings.VASP_NAME}.
            </p>`
          : html`<ul>
              ${connections.map(
                (connection) =>
                  html`<li>
                    <a href="/connection/${connection.id}">${connection.name}</a>
                    <span class="label">${connection.permissions.join(', ')} · ${endOf(connection)}</span>
                  </li>`,
              )}
            </ul>`
      }`,
  )
}

function outForm(): Html {
  return html`<form action="/logout" method="post"><button>Sign out of the gateway</button></form>`
}

export function approvalView(settings: GatewaySettings, login: Login, name: string): Html {
  const supported = settings.VASP_SUPPORTED_COMMANDS
  return page(
    'Approve',
    html`<h1>Connect ${login.address}</h1>
      <p class="lead">An app will be able to do what you tick here, until the connection ends or you revoke it.</p>
      <form action="/connection/new" method="post">
        <label
          ><span class="label">Name of the app</span><br /><input
            type="text"
            name="name"
            value="${name}"
            maxlength="80"
            required
        /></label>
        <fieldset>
          <legend>It may</legend>
          <p class="label">
            Always: see your address and currencies, ask what an amount costs (${commandsOf([], supported).join(', ')}).
          </p>
          ${GROUPS.map((group) =>
            groupChoice(
              group.id,
              group.title,
              group.commands.filter((command) => supported.includes(command)),
              settings.VASP_NAME,
            ),
          )}
        </fieldset>
        <p>
          <label
            ><span class="label">Until</span><br /><select name="life">
              ${LIVES.map(([value, label]) => html`<option value="${value}">${label}</option>`)}
            </select></label
          >
        </p>
        <p class="row">
          <button class="main" name="decision" value="connect">Connect</button
          ><button class="grave" name="decision" value="deny" formnovalidate>Deny</button>
        </p>
      </form>
      <p class="label">
        Budgets are asked for here too; this stand-in does not keep them yet. Your default currency is
        ${login.currency.code} (${login.currency.name}).
      </p>`,
  )
}

function groupChoice(id: string, title: string, commands: readonly string[], vaspName: string): Html {
  const missing = commands.length === 0
  return html`<label class="choice">
    <input type="checkbox" name="group" value="${id}" ${missing ? 'disabled' : 'checked'} />
    <span
      >${title}<br /><span class="label"
        >${missing ? `${vaspName} does not support this yet` : commands.join(', ')}</span
      ></span
    >
  </label>`
}

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

export function refusedView(problem: string, exchanges: readonly Exchange[]): Html {
  return page(
    'Not connected',
    html`<h1>The connection was not made</h1>
      <p class="lead" role="alert">${problem} Nothing was stored. The public gateway shows a bare 500 here.</p>
      <p><a class="button" href="/connection/new">Try again</a></p>
      ${exchanges.map(exchangeView)}`,
  )
}

export function connectionView(connection: Connection): Html {
  return page(
    connection.name,
    html`<h1>${connection.name}</h1>
      <p class="lead">Connected to ${connection.address}. ${endOf(connection)}.</p>
      <form class="row" action="/connection/${connection.id}/call" method="post">
        <button name="command" value="get_info">Call get_info</button>
        <button name="command" value="get_budget">Call get_budget</button>
        <button name="command" value="get_balance">Call get_balance</button>
      </form>
      <h2>Calls, newest first</h2>
      ${connection.exchanges.toReversed().map(exchangeView)}
      <h2>Login token</h2>
      ${tokenView(connection.loginToken)}
      <h2>Long-lived token</h2>
      ${tokenView(connection.longToken)}
      <p><a class="button" href="/">To your connections</a></p>`,
  )
}

const MEANINGS: Readonly<Record<string, string>> = {
  sub: 'user id at the VASP',
  aud: 'for this VASP only',
  iss: 'issued by',
  exp: 'good until (seconds since 1970)',
  address: 'UMA address',
  token_use: "kind of token, the VASP's own claim",
  jti: 'number of the token, for revoking it',
  scope: 'commands it may call',
}

function tokenView(token: string): Html {
  const claims = Object.entries(decodeJwt(token))
  return html`<dl>
    <div>
      <dt>header</dt>
      <dd><code>${JSON.stringify(decodeProtectedHeader(token))}</code></dd>
    </div>
    ${claims.map(
      ([name, value]) =>
        html`<div>
          <dt><code>${name}</code></dt>
          <dd>${String(value)} <span class="label">${meaningOf(name, value)}</span></dd>
        </div>`,
    )}
    <div>
      <dt>length</dt>
      <dd>${token.length} characters <span class="label">a gateway keeps at most 1,024</span></dd>
    </div>
  </dl>`
}

function meaningOf(name: string, value: unknown): string {
  const moment = name === 'exp' && typeof value === 'number' ? `, ${new Date(value * 1000).toUTCString()}` : ''
  return `${MEANINGS[name] ?? ''}${moment}`
}

function exchangeView(exchange: Exchange): Html {
  const error = errorForApp(exchange)
  return html`<section>
    <h3>
      ${exchange.method} ${new URL(exchange.url).pathname}
      <span class="${error === undefined ? 'good' : 'bad'}"
        >${exchange.status === 0 ? 'no answer' : exchange.status}</span
      >
      <span class="label">${exchange.ms} ms</span>
    </h3>
    ${exchange.requestBody === null ? '' : html`<pre>${exchange.requestBody}</pre>`}
    <pre>${pretty(exchange.body)}</pre>
    ${
      error === undefined
        ? ''
        : html`<p class="as-app">
            An app would see <code>${error.code}</code>: ${error.message}<br /><span class="label"
              >${sideOf(exchange)}</span
            >
          </p>`
    }
  </section>`
}

function sideOf(exchange: Exchange): string {
  if (exchange.status === 0 || exchange.status >= 500) return "The VASP's side: the app can only try again later."
  return exchange.status === 401
    ? 'The token was revoked or has expired: the person connects again.'
    : 'The VASP refused the call.'
}

function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2).replaceAll(/"token": "([^"]{24})[^"]*"/g, '"token": "$1…"')
  } catch {
    return body
  }
}

function endOf(connection: Connection): string {
  return connection.expiresAtSeconds === null
    ? 'No end'
    : `Ends ${new Date(connection.expiresAtSeconds * 1000).toUTCString()}`
}
