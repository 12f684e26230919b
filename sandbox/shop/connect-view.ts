import { html } from 'hono/html'
import { fieldOf } from '../../lib/web/form-fields'
import { BUDGET_CURRENCIES, BUDGET_PERIODS } from './money'
import { problemView, type Html } from './page'
import type { Problem } from './problem'
import type { Connection, Role } from './store'
import { PATH_OF } from './wallet-view'
import { LIVES, DEFAULT_PERMISSIONS } from './permission-request'

/** The value of `back` in the address to which the sandbox desk links. */
export const SANDBOX_PAGE = 'desk'

/** The values of the form: the shop's suggestions, or what the visitor typed. */
export interface ConnectForm {
  readonly address: string
  readonly budget: string
  readonly currency: string
  readonly period: string
  readonly required: string
  readonly optional: string
  readonly life: string
  /** `desk`: after connecting, the browser goes to the sandbox desk of the VASP. */
  readonly back: string
}

export function suggestion(role: Role, address: string): ConnectForm {
  const { required, optional, budget } = DEFAULT_PERMISSIONS[role]
  return { address, budget, currency: 'USD', period: 'monthly', required, optional, life: 'none', back: '' }
}

export function typedIn(form: URLSearchParams): ConnectForm {
  const text = (name: keyof ConnectForm): string => fieldOf(form, name) ?? ''
  return {
    address: text('address'),
    budget: text('budget'),
    currency: text('currency'),
    period: text('period'),
    required: text('required'),
    optional: text('optional'),
    life: text('life'),
    back: text('back'),
  }
}

type FaultyField = 'address' | 'budget' | 'uri'

function faultyField(problem: Problem): FaultyField {
  return problem.code === 'BAD_BUDGET' ? 'budget' : problem.code === 'BAD_PAIRING_URI' ? 'uri' : 'address'
}

/** The two ways to connect a wallet: by address (UMA Auth), or by an existing pairing URI. */
export function connectView(
  role: Role,
  typed: ConnectForm,
  { problem, current }: { readonly problem?: Problem; readonly current?: Connection | null } = {},
): Html {
  const path = PATH_OF[role]
  const faulty = problem === undefined ? undefined : faultyField(problem)
  const invalid = (field: FaultyField): Html =>
    field === faulty ? html`aria-invalid="true" aria-describedby="${field}-problem" autofocus` : html``
  const problemAt = (field: FaultyField): Html =>
    problem !== undefined && field === faulty
      ? html`<div id="${field}-problem" role="alert">${problemView(problem)}</div>`
      : html``
  const { required, optional } = DEFAULT_PERMISSIONS[role]
  const changed = typed.required !== required || typed.optional !== optional || typed.life !== 'none'
  return html`${
      current == null
        ? ''
        : html`<p class="notice">Connected to ${current.address ?? 'a wallet'}. A new connection replaces it.</p>`
    }
    <form action="${path}/connect" method="post">
      ${typed.back === SANDBOX_PAGE ? html`<input type="hidden" name="back" value="${SANDBOX_PAGE}" />` : ''}
      <p class="field">
        <label for="address">${role === 'merchant' ? 'UMA address of the shop' : 'Your UMA address'}</label>
        <input
          id="address"
          type="text"
          name="address"
          value="${typed.address}"
          autocomplete="off"
          autocapitalize="none"
          spellcheck="false"
          required
          ${invalid('address')}
        />
      </p>
      ${problemAt('address')}
      ${role === 'merchant' ? '' : html`${budgetView(typed, invalid('budget'))} ${problemAt('budget')}`}
      <details ${changed ? 'open' : ''}>
        <summary>Permissions requested</summary>
        <p class="field">
          <label for="required">Required</label>
          <input id="required" type="text" name="required" value="${typed.required}" spellcheck="false" />
        </p>
        <p class="field">
          <label for="optional">Optional</label>
          <textarea id="optional" name="optional" rows="3" spellcheck="false">${typed.optional}</textarea>
        </p>
        <p class="field">
          <label for="life">Expires</label>
          <select id="life" name="life">
            ${LIVES.map(([value, label]) => option(value, label, typed.life))}
          </select>
        </p>
      </details>
      <p><button class="main">Connect</button></p>
    </form>
    <h2>Or paste a pairing URI</h2>
    <p class="label">
      A gateway shows one for each manual connection. It begins with nostr+walletconnect://. At a public gateway, this
      is the only way for a shop whose relay is ws://, as in this demo: the gateway looks apps up on wss:// relays only.
    </p>
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
          ${invalid('uri')}
        ></textarea>
      </p>
      ${problemAt('uri')}
      <p><button>Connect with this URI</button></p>
    </form>`
}

function budgetView({ budget, currency, period }: ConnectForm, invalid: Html): Html {
  return html`<fieldset>
    <legend>Budget requested</legend>
    <p class="label">You decide at the gateway. Leave the amount empty to request no budget.</p>
    <div class="row">
      <p class="field short">
        <label for="budget">Amount</label>
        <input
          id="budget"
          type="text"
          name="budget"
          value="${budget}"
          inputmode="decimal"
          autocomplete="off"
          ${invalid}
        />
      </p>
      <p class="field short">
        <label for="currency">Currency</label>
        <select id="currency" name="currency">
          ${Object.keys(BUDGET_CURRENCIES).map((code) => option(code, code, currency))}
        </select>
      </p>
      <p class="field short">
        <label for="period">Per</label>
        <select id="period" name="period">
          ${BUDGET_PERIODS.map((each) => option(each, each === 'none' ? 'in total' : each, period))}
        </select>
      </p>
    </div>
  </fieldset>`
}

function option(value: string, label: string, chosen: string): Html {
  return html`<option value="${value}" ${value === chosen ? 'selected' : ''}>${label}</option>`
}
