import { html } from 'hono/html'
import { visibleText } from '../../lib/platform/visible-text'
import { facts, pageOf, problemContent, type Brand, type Html } from '../shared/page'
import { SIDES, type Problem } from './problem'
import { SHOP_NAME } from './products'

/** The parts of every page around its content. */
export interface Frame {
  /** The relay, if it cannot be reached now. */
  readonly relayDown: string | undefined
  /** Shown once, after an action. */
  readonly notice: string | undefined
  readonly customer: string | undefined
  readonly here: 'catalogue' | 'wallet' | 'merchant' | undefined
}

const BRAND: Brand = {
  name: SHOP_NAME,
  strip: ['SAMPLE', 'a shop that sells nothing. No real money.'],
  footer: 'A sample app for UMA Auth and Nostr Wallet Connect.',
}

export function page({ relayDown, notice, customer, here }: Frame, title: string, content: Html): Html {
  const link = (path: string, name: Frame['here'], text: string): Html =>
    html`<a href="${path}" ${here === name ? html`aria-current="page"` : ''}>${text}</a>`
  const masthead = html`<div class="masthead">
    <a class="name" href="/">${SHOP_NAME}</a>
    <p>Writing goods, by catalogue</p>
    <nav aria-label="Shop">
      ${link('/', 'catalogue', 'Catalogue')} ${link('/wallet', 'wallet', customer ?? 'Your wallet')}
      ${link('/merchant', 'merchant', 'Shop’s wallet')}
    </nav>
  </div>`
  return pageOf(
    BRAND,
    title,
    html`${
      relayDown === undefined
        ? ''
        : html`<p class="notice bad" role="alert">
            The relay ${relayDown} cannot be reached. No wallet can be called. The shop keeps trying; reload this page
            to check.
          </p>`
    }
    ${notice === undefined ? '' : html`<p class="notice" role="status">${notice}</p>`} ${content}`,
    { masthead },
  )
}

/** A failure as the app sees it: the received code and message, then the meaning, the side at fault, and what to do. */
export function problemView({ code, message: received, meaning, side, todo }: Problem): Html {
  const message = visibleText(received)
  return html`<div class="problem">
    <p class="bad"><span aria-hidden="true">✕ </span><strong>${message ?? meaning}</strong></p>
    ${facts([
      ['The app received', html`<code>${code}</code> ${message === undefined ? '' : meaning}`],
      ['Who can fix this', SIDES[side]],
      ['What to do', todo],
    ])}
  </div>`
}

/** A page with the session's calls next to its content. */
export function pageWithCalls(frame: Frame, title: string, content: Html, calls: Html): Html {
  return page(
    frame,
    title,
    html`<div class="columns">
      <div>${content}</div>
      ${calls}
    </div>`,
  )
}

export function problemPage(frame: Frame, title: string, problem: Problem, back: Html, calls: Html = html``): Html {
  return pageWithCalls(frame, title, problemContent(title, problemView(problem), back), calls)
}
