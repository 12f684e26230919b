import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { visibleText } from '../../lib/platform/visible-text'
import { SHOP_NAME } from './products'
import { SIDES, type Problem } from './problem'

export type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** The parts of every page around its content. */
export interface Frame {
  /** The relay, if it cannot be reached now. */
  readonly relayDown: string | undefined
  /** Shown once, after an action. */
  readonly notice: string | undefined
  readonly customer: string | undefined
  readonly here: 'catalogue' | 'wallet' | 'merchant' | undefined
}

/** The frame of every page. The template escapes all values. */
export function page(frame: Frame, title: string, content: Html): Html {
  const link = (path: string, name: Frame['here'], text: string): Html =>
    html`<a href="${path}" ${frame.here === name ? html`aria-current="page"` : ''}>${text}</a>`
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>${title} · ${SHOP_NAME}</title>
        <link rel="icon" href="/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/style.css" />
        <script src="/busy-forms.js" defer></script>
      </head>
      <body>
        <a class="skip" href="#main">Skip to content</a>
        <header>
          <div class="strip">
            <p><strong>SAMPLE</strong>, a shop that sells nothing. No real money.</p>
          </div>
          <div class="masthead">
            <a class="name" href="/">${SHOP_NAME}</a>
            <p>Writing goods, by catalogue</p>
            <nav aria-label="Shop">
              ${link('/', 'catalogue', 'Catalogue')} ${link('/wallet', 'wallet', frame.customer ?? 'Your wallet')}
              ${link('/merchant', 'merchant', 'Shop’s wallet')}
            </nav>
          </div>
        </header>
        <main id="main">
          ${
            frame.relayDown === undefined
              ? ''
              : html`<p class="notice bad" role="alert">
                  The relay ${frame.relayDown} cannot be reached. No wallet can be called. The shop keeps trying; reload
                  this page to check.
                </p>`
          }
          ${frame.notice === undefined ? '' : html`<p class="notice" role="status">${frame.notice}</p>`} ${content}
        </main>
        <footer>A sample app for UMA Auth and Nostr Wallet Connect. All data stays on this machine.</footer>
      </body>
    </html>`
}

/** A failure as the app sees it: the received code and message, then the meaning, the side at fault, and what to do. */
export function problemView(problem: Problem): Html {
  const message = visibleText(problem.message)
  return html`<div class="problem">
    <p class="bad"><span aria-hidden="true">✕ </span><strong>${message ?? problem.meaning}</strong></p>
    <dl>
      <div>
        <dt>The app received</dt>
        <dd><code>${problem.code}</code> ${message === undefined ? '' : problem.meaning}</dd>
      </div>
      <div>
        <dt>Who can fix this</dt>
        <dd>${SIDES[problem.side]}</dd>
      </div>
      <div>
        <dt>What to do</dt>
        <dd>${problem.todo}</dd>
      </div>
    </dl>
  </div>`
}

export function problemPage(frame: Frame, title: string, problem: Problem, back: Html, calls: Html | '' = ''): Html {
  return page(
    frame,
    title,
    html`<div class="columns">
      <div>
        <h1>${title}</h1>
        <div role="alert">${problemView(problem)}</div>
        <p class="row">${back}</p>
      </div>
      ${calls}
    </div>`,
  )
}
