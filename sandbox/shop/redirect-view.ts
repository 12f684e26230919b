import { html } from 'hono/html'
import { facts, type Html } from '../shared/page'
import { problemView } from './page'
import { redact } from './redact'
import type { PendingAuthorization } from './store'
import { PATH_OF } from './wallet-view'

const MEANINGS: Readonly<Record<string, string>> = {
  client_id: 'The shop’s public key, and the relay where it is registered',
  redirect_uri: 'Where the browser returns to; must be in the registration',
  code_challenge: 'PKCE: only this shop, which holds the matching secret, can use the code',
  state: 'Ties the answer to this browser',
  required_commands: 'Required permissions',
  optional_commands: 'Optional permissions',
  budget: 'Smallest units, currency, period',
  expires_at: 'Seconds since 1970',
  uma_username: 'Whose wallet',
}

/** The page before the gateway: shows the request and links there, because `form-action` blocks form redirects. */
export function redirectView(pending: PendingAuthorization): Html {
  const url = new URL(pending.url)
  return html`<h1>Continue to ${url.host}</h1>
    <p class="lead">
      ${new URL(pending.server.issuer).host} uses the gateway ${url.host} for ${pending.address}. You sign in there and
      choose what this shop may do.
    </p>
    ${pending.problem === undefined ? '' : html`<div role="alert">${problemView(pending.problem)}</div>`}
    <p class="row">
      <a class="button main" href="${pending.url}" rel="noreferrer">Continue to ${url.host}</a>
      <a class="button" href="${PATH_OF[pending.role]}">Cancel</a>
    </p>
    <h2>What your browser sends</h2>
    ${facts(
      [...url.searchParams].map(([name, value]) => [
        html`<code>${name}</code>`,
        html`${name === 'state' ? redact(`state=${value}`).slice(6) : value}
        ${MEANINGS[name] === undefined ? '' : html`<br /><span class="label">${MEANINGS[name]}</span>`}`,
      ]),
    )}`
}
