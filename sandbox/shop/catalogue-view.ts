import { html } from 'hono/html'
import type { Html } from '../shared/page'
import { iconOf } from './icons'
import { dollarsText, satsText } from './money'
import { productOf, PRODUCTS, type Product } from './products'
import type { Order } from './store'

const STATE_WORDS: Readonly<Record<Order['state'], string>> = {
  open: 'not paid',
  paying: 'being paid',
  paid: 'paid',
  unknown: 'payment uncertain',
}

export function catalogueView(shop: {
  readonly open: boolean
  readonly connected: boolean
  readonly orders: readonly Order[]
}): Html {
  return html`<h1>Catalogue</h1>
    <p class="lead">
      Four things for the writing table. Prices are in satoshis, and in dollars at the sandbox’s listed rate. You pay
      from a wallet that you connect.
    </p>
    ${
      shop.connected
        ? ''
        : html`<p class="row">
            <a class="button main" href="/wallet">Connect your wallet</a>
            <span class="label">by its address, or by a pairing URI</span>
          </p>`
    }
    ${
      shop.open
        ? ''
        : html`<p class="notice">
            The shop needs a wallet before it can sell. <a href="/merchant">Connect one</a>, by its UMA address or by a
            pairing URI from your gateway.
          </p>`
    }
    <ul class="products">
      ${PRODUCTS.map(productView)}
    </ul>
    ${
      shop.orders.length === 0
        ? ''
        : html`<h2>Your orders</h2>
            <ul class="plain">
              ${shop.orders.map(
                (order) =>
                  html`<li>
                    <a href="/orders/${order.id}">${productOf(order.good)?.name ?? order.good}</a>
                    <span class="label"
                      >${satsText(order.priceSats)}, ${dollarsText(order.priceSats)}, ${STATE_WORDS[order.state]}</span
                    >
                  </li>`,
              )}
            </ul>`
    }`
}

function productView(product: Product): Html {
  return html`<li>
    ${iconOf(product.id)}
    <div>
      <p class="number-line">No. ${product.number}</p>
      <h2 class="line"><span>${product.name}</span> <span class="price">${satsText(product.priceSats)}</span></h2>
      <p class="label dollars">${dollarsText(product.priceSats)}</p>
      <p>${product.about}</p>
      <form action="/orders" method="post">
        <button name="good" value="${product.id}" aria-label="Buy: ${product.name}">Buy</button>
      </form>
    </div>
  </li>`
}
