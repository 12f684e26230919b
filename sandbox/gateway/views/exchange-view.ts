import { html } from 'hono/html'
import { visibleText, withHiddenEscaped } from '../../../lib/platform/visible-text'
import { jsonOf } from '../../shared/json'
import { momentOfCall } from '../../shared/moments'
import type { Html } from '../../shared/page'
import { errorForApp, type Exchange } from '../vasp-client'

/** One call to the VASP: the request, the answer, and an error as the app sees it. Collapsed, it is one line. */
export function exchangeView(exchange: Exchange, open: boolean): Html {
  return html`<details class="exchange" ${open ? 'open' : ''}>
    <summary><h3>${headOf(exchange)}</h3></summary>
    ${bodyOf(exchange)}
  </details>`
}

function headOf(exchange: Exchange): Html {
  const { pathname, search } = new URL(exchange.url)
  return html`<code>${exchange.method} ${pathname}${search}</code>
    <span class="${errorForApp(exchange) === undefined ? 'good' : 'bad'}"
      >${exchange.status === 0 ? 'no answer' : exchange.status}</span
    >
    <span class="label"
      >${exchange.atMs === undefined ? '' : `${momentOfCall(exchange.atMs)} · `}${exchange.ms}&nbsp;ms</span
    >`
}

function bodyOf(exchange: Exchange): Html {
  const error = errorForApp(exchange)
  return html`${
      exchange.requestBody === null
        ? ''
        : html`<pre tabindex="0" aria-label="Sent">${withHiddenEscaped(exchange.requestBody)}</pre>`
    }
    <pre tabindex="0" aria-label="Received">${withHiddenEscaped(pretty(exchange.body))}</pre>
    ${
      error === undefined
        ? ''
        : html`<p class="as-app">
            An app would see <code>${error.code}</code>: ${visibleText(error.message) ?? ''}<br /><span class="label"
              >${sideOf(exchange)}</span
            >
          </p>`
    }`
}

function sideOf(exchange: Exchange): string {
  if (exchange.status === 0 || exchange.status >= 500) return 'The VASP failed. The app can only try again later.'
  return exchange.status === 401
    ? 'The token was revoked or has expired. The user must connect again.'
    : 'The VASP refused the call.'
}

/** Characters of tokens and preimages that are shown, because a page may be shown to others. */
const SHOWN: ReadonlyMap<string, number> = new Map([
  ['token', 24],
  ['preimage', 8],
])

function shortened(name: string, value: unknown): unknown {
  const shown = SHOWN.get(name)
  return shown === undefined || typeof value !== 'string' || value.length <= shown ? value : `${value.slice(0, shown)}…`
}

function pretty(body: string): string {
  const value = jsonOf(body)
  return value === undefined ? body : JSON.stringify(value, shortened, 2)
}
