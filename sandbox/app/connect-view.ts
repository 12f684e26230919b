import { html } from 'hono/html'
import { BUDGET_CURRENCIES, BUDGET_PERIODS } from './money'
import type { Html } from './page'
import type { Role } from './store'
import { PATH_OF } from './wallet-view'
import { LIVES, WISHES } from './wish'

/** The two ways to connect a wallet: by address (UMA Auth), or by a pairing URI that the person already has. */
export function connectView(role: Role, example: string): Html {
  const path = PATH_OF[role]
  const wish = WISHES[role]
  return html`<form action="${path}/connect" method="post">
      <p class="field">
        <label for="address">${role === 'merchant' ? 'UMA address of the shop' : 'Your UMA address'}</label>
        <input
          id="address"
          type="text"
          name="address"
          value="${example}"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          required
        />
      </p>
      ${role === 'merchant' ? '' : budgetView(wish.budget)}
      <details>
        <summary>Exactly what is asked for</summary>
        <p class="field">
          <label for="required">Must have (without these, no connection)</label>
          <input id="required" type="text" name="required" value="${wish.required}" spellcheck="false" />
        </p>
        <p class="field">
          <label for="optional">Would like</label>
          <textarea id="optional" name="optional" rows="3" spellcheck="false">${wish.optional}</textarea>
        </p>
        <p class="field">
          <label for="life">Until</label>
          <select id="life" name="life">
            ${LIVES.map(([value, label]) => html`<option value="${value}">${label}</option>`)}
          </select>
        </p>
      </details>
      <p><button class="main">Connect</button></p>
    </form>
    <h2>Or paste a pairing URI</h2>
    <p class="label">A gateway shows one when a connection is made by hand. It begins with nostr+walletconnect://</p>
    <form action="${path}/paste" method="post">
      <p class="field">
        <label for="uri">Pairing URI</label>
        <textarea
          id="uri"
          name="uri"
          rows="3"
          autocomplete="off"
          spellcheck="false"
          autocapitalize="none"
          required
        ></textarea>
      </p>
      <p><button>Use this</button></p>
    </form>`
}

function budgetView(amount: string): Html {
  return html`<fieldset>
    <legend>Budget the shop asks for</legend>
    <p class="label">You decide at the gateway. Leave the amount empty to ask for none.</p>
    <div class="row">
      <p class="field short">
        <label for="budget">Amount</label>
        <input id="budget" type="text" name="budget" value="${amount}" inputmode="decimal" autocomplete="off" />
      </p>
      <p class="field short">
        <label for="currency">Currency</label>
        <select id="currency" name="currency">
          ${Object.keys(BUDGET_CURRENCIES).map((code) => html`<option>${code}</option>`)}
        </select>
      </p>
      <p class="field short">
        <label for="period">Each</label>
        <select id="period" name="period">
          ${BUDGET_PERIODS.map(
            (period) =>
              html`<option value="${period}" ${period === 'monthly' ? 'selected' : ''}>
                ${period === 'none' ? 'once, in all' : period}
              </option>`,
          )}
        </select>
      </p>
    </div>
  </fieldset>`
}
