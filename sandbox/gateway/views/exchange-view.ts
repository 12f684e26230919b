import { html } from 'hono/html'
import type { Html } from '../page'
import { errorForApp, type Exchange } from '../vasp-client'

/** One call to the VASP: what was sent, what came back, and an error as the app sees it. */
export function exchangeView(exchange: Exchange): Html {
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

/** Tokens and preimages are cut: a page may be shown to others. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
      .replaceAll(/"token": "([^"]{24})[^"]*"/g, '"token": "$1…"')
      .replaceAll(/"preimage": "([^"]{8})[^"]*"/g, '"preimage": "$1…"')
  } catch {
    return body
  }
}
