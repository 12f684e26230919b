import { html } from 'hono/html'
import { relayOf } from './connections'
import { problemView, type Html } from './page'
import { redact } from './redact'
import type { Asking } from './store'
import { PATH_OF } from './wallet-view'

const MEANINGS: Readonly<Record<string, string>> = {
  client_id: 'Who asks: the shop’s public key, and the relay where it is registered',
  redirect_uri: 'Where the browser comes back to; must be in the registration',
  code_challenge: 'Half of a secret: only who has the other half can use the code (PKCE)',
  state: 'Ties the answer to this browser',
  required_commands: 'Without these the shop cannot work',
  optional_commands: 'What you may allow or not',
  budget: 'Smallest units, currency, period',
  expires_at: 'Seconds since 1970',
  uma_username: 'Whose wallet',
}

/** The page before the gateway: shows the request that the browser takes there. A link, not a redirect of the form. */
export function leavingView(asking: Asking): Html {
  const url = new URL(asking.url)
  return html`<h1>On to ${url.host}</h1>
    <p class="lead">
      ${new URL(asking.server.issuer).host} says that ${url.host} connects apps for ${asking.address}. It asks you to
      sign in and to say what this shop may do.
    </p>
    ${
      asking.gatewayDown === undefined
        ? ''
        : html`<div role="alert">
            ${problemView({
              code: 'GATEWAY_DOWN',
              message: `${url.host} did not answer: ${asking.gatewayDown}.`,
              meaning: 'The gateway does not run, so the next page would stay empty.',
              side: 'gateway',
              todo: 'Start it, then go on.',
            })}
          </div>`
    }
    ${
      asking.refusesRelay === true
        ? html`<div role="alert">
            ${problemView({
              code: 'RELAY_REFUSED',
              message: `${url.host} answered this request with status 500.`,
              meaning: `A public gateway looks apps up on wss:// relays only, and this shop is registered on ${relayOf(asking.url)}.`,
              side: 'shop',
              todo: 'Make a manual connection at the gateway and paste its pairing URI into this shop.',
            })}
          </div>`
        : ''
    }
    <p class="row">
      <a class="button main" href="${asking.url}" rel="noreferrer">Go on to ${url.host}</a>
      <a class="button" href="${PATH_OF[asking.role]}">Not now</a>
    </p>
    <h2>What the browser carries there</h2>
    <dl>
      ${[...url.searchParams].map(
        ([name, value]) =>
          html`<div>
            <dt><code>${name}</code></dt>
            <dd>
              ${name === 'state' ? redact(`state=${value}`).slice(6) : value}
              ${MEANINGS[name] === undefined ? '' : html`<br /><span class="label">${MEANINGS[name]}</span>`}
            </dd>
          </div>`,
      )}
    </dl>`
}
