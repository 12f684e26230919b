import { html } from 'hono/html'
import { moment } from '../shared/moments'
import { areaField, facts, type Html } from '../shared/page'
import { iconOf } from './icons'
import { dollarsText, satsText } from './money'
import { INVOICE_LIFE_SECONDS } from './orders'
import { problemView } from './page'
import type { Problem } from './problem'
import { productOf } from './products'
import type { Order } from './store'

export function orderView(order: Order, customer: string | undefined, problem: Problem | undefined, links: Html): Html {
  return html`<h1>${productOf(order.good)?.name ?? order.good}</h1>
    <div class="bill">
      ${iconOf(order.good)}
      <div>
        <p class="figure">${satsText(order.priceSats)}</p>
        <p class="label">${dollarsText(order.priceSats)}</p>
      </div>
    </div>
    ${stateView(order)}
    ${problem === undefined || order.state === 'paid' ? '' : html`<div role="alert">${problemView(problem)}</div>`}
    <div class="row">${actionsView(order, customer)}</div>
    ${links}
    <h2>Invoice</h2>
    <p class="label">
      Created by the shop’s own wallet at ${moment(order.madeAtSeconds)}, valid until
      ${moment(order.madeAtSeconds + INVOICE_LIFE_SECONDS)}. Any wallet in this sandbox can pay it.
    </p>
    ${areaField({ name: 'invoice', label: 'BOLT-11', value: order.invoice, rows: 5, more: 'readonly' })}
    ${facts([['Payment hash', html`<code>${order.paymentHash}</code>`]])}
    <p><a class="button" href="/">Back to the catalogue</a></p>`
}

function stateView({ state }: Order): Html {
  switch (state) {
    case 'paid':
      return html`<p class="state good" role="status">
        <span aria-hidden="true">✓ </span>Paid. Thank you! (A sample: nothing will be shipped.)
      </p>`
    case 'unknown':
      return html`<p class="state" role="status">
        It is not certain whether this was paid. Check with the shop’s wallet before you pay again.
      </p>`
    case 'paying':
      return html`<p class="state" role="status">The payment is in progress. Reload in a moment.</p>`
    case 'open':
      return html`<p class="state">Not paid yet.</p>`
  }
}

function actionsView(order: Order, customer: string | undefined): Html {
  const look = html`<form action="/orders/${order.id}/look" method="post"><button>Check payment</button></form>`
  if (order.state === 'paid') return html``
  if (order.state !== 'open') return look
  const pay =
    customer === undefined
      ? html`<a class="button main" href="/wallet">Connect a wallet to pay</a>`
      : html`<form action="/orders/${order.id}/pay" method="post">
          <button class="main">Pay ${satsText(order.priceSats)} from ${customer}</button>
        </form>`
  return html`${pay} ${look}`
}
