import { html } from 'hono/html'
import { visibleText, withHiddenEscaped } from '../../lib/platform/visible-text'
import { momentOfCall } from '../shared/moments'
import type { Html } from '../shared/page'
import type { Channel, Entry } from './call-log'
import { SIDES } from './problem'

const CHANNELS: Readonly<Record<Channel, string>> = {
  http: 'HTTP',
  relay: 'NWC over the relay',
  browser: 'Redirect in the browser',
}

const SHOWN = 3

/** The calls of this session next to the steps: described in words, with headers and messages when expanded. */
export function callsView(entries: readonly Entry[]): Html {
  const earlier = entries.slice(SHOWN)
  return html`<aside class="calls" aria-labelledby="calls">
    <h2 id="calls">Calls</h2>
    <p class="label">Newest first, the last thirty of this browser. Keys, codes and tokens are shortened.</p>
    ${entries.length === 0 ? html`<p>No calls yet.</p>` : listOf(entries.slice(0, SHOWN))}
    ${
      earlier.length === 0
        ? ''
        : html`<details>
            <summary>Earlier calls: ${earlier.length}</summary>
            ${listOf(earlier)}
          </details>`
    }
  </aside>`
}

function listOf(entries: readonly Entry[]): Html {
  return html`<ol>
    ${entries.map(entryView)}
  </ol>`
}

/** Closed, so that a list above the page's content on a phone is short. A link to the call opens it, because the target is inside. */
function entryView(entry: Entry): Html {
  return html`<li>
    <details>
      <summary>
        <span class="words">${entry.words}</span>
        <span class="label"
          >${momentOfCall(entry.atMs)} ·
          ${CHANNELS[entry.channel]}${entry.tookMs === undefined ? '' : ` · ${entry.tookMs} ms`} · ${mark(entry)}</span
        >
      </summary>
      <div id="call-${entry.number}">
        ${entry.problem === undefined ? '' : html`<p class="bad">${visibleText(entry.problem.message) ?? entry.problem.meaning} (${SIDES[entry.problem.side]})</p>`}
        <h3>Sent</h3>
        <pre aria-label="Sent: ${entry.words}">${withHiddenEscaped(entry.request)}</pre>
        <h3>Received</h3>
        <pre aria-label="Received: ${entry.words}">${withHiddenEscaped(entry.response ?? 'nothing')}</pre>
      </div>
    </details>
  </li>`
}

function mark(entry: Entry): Html {
  if (entry.problem !== undefined) return html`<span class="bad">✕ ${entry.problem.code}</span>`
  return entry.tookMs === undefined ? html`<span>… in progress</span>` : html`<span class="good">✓ answered</span>`
}
