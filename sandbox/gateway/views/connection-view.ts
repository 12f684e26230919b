import { html, raw } from 'hono/html'
import { renderSVG } from 'uqr'
import { moment } from '../../shared/moments'
import { textField, type Html } from '../../shared/page'
import type { Cycle, Limit } from '../budget'
import { permissionsOf } from '../commands'
import type { Currency, Login } from '../login'
import { moneyText, plainMoney } from '../money-text'
import { page } from '../page'
import { cycleOf } from '../payments'
import type { GatewaySettings } from '../settings'
import { isOver, type Connection, type Payment } from '../store'
import type { Exchange } from '../vasp-client'
import { exchangeView } from './exchange-view'
import { endOf } from './times'
import { tokenView } from './token-view'

const PAYMENTS_SHOWN = 3
const EXCHANGES_SHOWN = 5

/** Parts that only some views of a connection show. */
interface Extras {
  /** Shown once, after a manual connection was created. */
  readonly pairing?: string | undefined
  /** A new budget that was rejected. */
  readonly refusedBudget?: { readonly typed: string; readonly message: string }
}

/** The page of one connection. */
export function connectionView(
  settings: GatewaySettings,
  login: Login,
  connection: Connection,
  nowSeconds: number,
  { pairing, refusedBudget }: Extras,
): Html {
  const ended = isOver(connection.expiresAtSeconds, nowSeconds)
  return page(
    { login },
    connection.name,
    html`<h1>${connection.name}</h1>
      <p class="lead">
        ${ended ? 'Ended.' : ''} Connected to ${connection.address} on ${moment(connection.createdAtSeconds)}.
        ${endOf(connection, nowSeconds)}.
        ${connection.lastUsedAtSeconds === null ? 'Not used yet.' : `Last used ${moment(connection.lastUsedAtSeconds)}.`}
        ${appLink(connection)}
      </p>
      ${
        refusedByVasp(connection) && !ended
          ? html`<p class="notice bad" role="status">
              The VASP no longer accepts this connection’s token: it was revoked there, or it has expired. Connect
              again.
            </p>`
          : ''
      }
      ${pairing === undefined ? '' : pairingView(pairing)}
      <h2>The app can</h2>
      ${permissionsView(connection.permissions)}
      ${connection.limit === null ? html`<p class="label">No budget: the app can spend everything in the wallet.</p>` : budgetView(connection, connection.limit, nowSeconds, refusedBudget)}
      ${
        connection.payments.length === 0
          ? ''
          : html`<h2>Payments</h2>
              ${newest(connection.payments.toReversed(), PAYMENTS_SHOWN, 'payments', (some) => paymentList(some, connection.currency))}`
      }
      ${ended ? '' : html`${disconnectView(settings, connection)} ${callsView(connection)}`}
      <h2>Calls to the VASP, newest first</h2>
      ${newest(connection.exchanges.toReversed(), EXCHANGES_SHOWN, 'calls', exchangeList)}
      <h2>Tokens</h2>
      <details>
        <summary>Login token (created the connection)</summary>
        ${tokenView(connection.loginToken)}
      </details>
      <details>
        <summary>Long-lived token (sent with every call)</summary>
        ${tokenView(connection.longToken)} ${wholeTokenView(connection.longToken)}
      </details>`,
  )
}

/** The newest entries, and the earlier ones collapsed: a long page hides what a user is looking for. */
function newest<Entry>(
  entries: readonly Entry[],
  shown: number,
  what: string,
  view: (some: readonly Entry[], isNewest: boolean) => Html,
): Html {
  const earlier = entries.length - shown
  if (earlier <= 0) return view(entries, true)
  return html`${view(entries.slice(0, shown), true)}
    <details>
      <summary>${earlier} earlier ${what}</summary>
      ${view(entries.slice(shown), false)}
    </details>`
}

function exchangeList(exchanges: readonly Exchange[], isNewest: boolean): Html {
  return html`${exchanges.map((exchange, index) => exchangeView(exchange, isNewest && index === 0))}`
}

/** A link back to the app's registered site. An app on the device has none. */
function appLink({ clientApp }: Connection): Html {
  const address = clientApp?.redirectUrls.find((each) => /^https?:\/\//.test(each) && URL.canParse(each))
  if (clientApp === null || address === undefined) return html``
  return html`<a href="${new URL(address).origin}">Open ${clientApp.name}</a>`
}

/** As on the approval page: what the app can do, and the commands for it. */
function permissionsView(commands: readonly string[]): Html {
  return html`<ul class="plain groups">
    ${permissionsOf(commands).map(
      (group) => html`<li>${group.title}<br /><span class="label">${group.commands.join(', ')}</span></li>`,
    )}
  </ul>`
}

/** For trying the VASP's API by hand; a public gateway never shows the token. */
function wholeTokenView(token: string): Html {
  return html`<details>
    <summary>Full token, for curl</summary>
    <p class="notice">Anyone with this token can do what the connection allows. A public gateway does not show it.</p>
    <code class="long">${token}</code>
  </details>`
}

/**
 * The VASP answered the last call with 401: the token was revoked or ended there. A gateway is not notified otherwise.
 */
function refusedByVasp(connection: Connection): boolean {
  return connection.exchanges.at(-1)?.status === 401
}

function pairingView(pairing: string): Html {
  return html`<section>
    <h2>Pairing URI</h2>
    <p class="notice" role="status">
      Shown only once. Anyone with it can use this connection: paste it into one app only.
    </p>
    <div class="qr">${raw(renderSVG(pairing, { ecc: 'L', border: 4 }))}</div>
    <p><code class="long" id="pairing">${pairing}</code></p>
    <p><button type="button" data-copy="pairing">Copy</button> <output id="copied"></output></p>
    <script src="/copy.js" defer></script>
  </section>`
}

function budgetView(connection: Connection, limit: Limit, nowSeconds: number, refused: Extras['refusedBudget']): Html {
  const cycle = cycleOf(connection, limit, nowSeconds)
  const { currency } = connection
  return html`<h2>Budget</h2>
    <p>
      ${moneyText(cycle.spent, currency)} spent${cycle.held > 0 ? `, ${moneyText(cycle.held, currency)} reserved` : ''}
      of ${moneyText(limit.amount, currency)}${periodOf(limit, cycle)}
    </p>
    ${barView(limit, cycle, currency)}
    ${
      isOver(connection.expiresAtSeconds, nowSeconds)
        ? ''
        : html`<form class="row" action="/connection/${connection.id}/budget" method="post">
            ${textField({
              name: 'amount',
              label: `New budget in ${currency.code}`,
              value: refused?.typed ?? plainMoney(limit.amount, currency.decimals),
              more: html`inputmode="decimal" required`,
              problem: refused?.message,
            })}
            <button>Change budget</button>
          </form>`
    }`
}

function periodOf(limit: Limit, cycle: Cycle): string {
  if (limit.frequency === 'none') return ' in total'
  return ` ${limit.frequency}, resets ${cycle.endSeconds === null ? 'never' : moment(cycle.endSeconds)}`
}

/** Spent, held (hatched) and left. SVG, because the policy of these pages allows no style attributes. */
function barView(limit: Limit, cycle: Cycle, currency: Currency): Html {
  const share = (amount: number): string => Math.min(100, (amount / limit.amount) * 100).toFixed(2)
  const label = `${moneyText(cycle.spent, currency)} spent and ${moneyText(cycle.held, currency)} reserved of ${moneyText(limit.amount, currency)}`
  return html`<svg class="bar" role="img" aria-label="${label}" viewBox="0 0 100 4" preserveAspectRatio="none">
    <defs>
      <pattern id="hatch" width="1.2" height="4" patternUnits="userSpaceOnUse" patternTransform="skewX(-20)">
        <rect class="held" width="0.6" height="4" />
      </pattern>
    </defs>
    <rect class="left" width="100" height="4" />
    <rect class="spent" width="${share(cycle.spent)}" height="4" />
    <rect x="${share(cycle.spent)}" width="${share(cycle.held)}" height="4" fill="url(#hatch)" />
  </svg>`
}

const STATES: Readonly<Record<Payment['status'], string>> = {
  PENDING: 'no answer yet; the amount stays reserved',
  SUCCEEDED: 'paid',
  FAILED: 'failed, reserved amount returned',
}

function paymentList(payments: readonly Payment[], currency: Currency): Html {
  return html`<ul class="plain">
    ${payments.map(
      (payment) =>
        html`<li>
          <strong>${payment.receiver}</strong> ${payment.sendingAmount} ${payment.sendingCurrencyCode}
          <span class="${payment.status === 'FAILED' ? 'bad' : 'good'}">${stateOf(payment)}</span><br />
          <span class="label"
            >${budgetWords(payment, currency)} · ${payment.command} ·
            ${moment(payment.createdAtSeconds)}${payment.problem === null ? '' : ` · ${payment.problem}`}</span
          >
        </li>`,
    )}
  </ul>`
}

function stateOf({ status, settled }: Payment): string {
  return status === 'SUCCEEDED' && settled === 0 ? 'already paid, nothing charged' : STATES[status]
}

function budgetWords(payment: Payment, currency: Currency): string {
  if (payment.cycleStartSeconds === null) return 'no budget'
  const held = `reserved ${moneyText(payment.held, currency)}`
  return payment.settled === null ? held : `${held}, spent ${moneyText(payment.settled, currency)}`
}

function disconnectView({ UMA_VASP_LOGIN_URL, VASP_NAME }: GatewaySettings, { id }: Connection): Html {
  return html`<h2>Disconnect</h2>
    <p>
      The app’s key stops working here at once. The VASP is not notified:
      <a href="${new URL('/connections', UMA_VASP_LOGIN_URL).href}">revoke the token at ${VASP_NAME}</a> as well.
    </p>
    <form action="/connection/${id}/disconnect" method="post"><button class="grave">Disconnect</button></form>`
}

function callsView({ id }: Connection): Html {
  return html`<h2>Try it</h2>
    <form class="row" action="/connection/${id}/call" method="post">
      <button name="command" value="get_info">Call get_info</button>
      <button name="command" value="get_budget">Call get_budget</button>
      <button name="command" value="get_balance">Call get_balance</button>
    </form>`
}
