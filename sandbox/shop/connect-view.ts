import { html } from 'hono/html'
import { fieldOf } from '../../lib/web/form-fields'
import { areaField, choiceField, textField, type Html } from '../shared/page'
import { BUDGET_CURRENCIES, BUDGET_PERIODS } from './money'
import { problemView } from './page'
import { DEFAULT_PERMISSIONS, LIVES } from './permission-request'
import type { Problem } from './problem'
import { RETURN_PLACES, type Connection, type ReturnPlace, type Role } from './store'
import { PATH_OF } from './wallet-view'

const FIELDS = ['address', 'budget', 'currency', 'period', 'required', 'optional', 'life', 'back'] as const
/**
 * The values of the form: the shop's suggestions, or what the visitor typed. `back` is the place to which the browser goes after
 * connecting; with another text than these places it goes to the page of the wallet.
 */
export type ConnectForm = Readonly<Record<(typeof FIELDS)[number], string>>

export function suggestion(role: Role, address: string): ConnectForm {
  const { required, optional, budget } = DEFAULT_PERMISSIONS[role]
  return { address, budget, currency: 'USD', period: 'monthly', required, optional, life: 'none', back: '' }
}

export function typedIn(form: URLSearchParams): ConnectForm {
  return Object.fromEntries(FIELDS.map((name) => [name, fieldOf(form, name) ?? ''])) as ConnectForm
}

/** Undefined for a text that names no place. */
export function placeOf(text: string | undefined): ReturnPlace | undefined {
  return RETURN_PLACES.find((place) => place === text)
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
  const at = (field: FaultyField): { readonly problem?: Html } =>
    problem !== undefined && faultyField(problem) === field ? { problem: problemView(problem) } : {}
  const { required, optional } = DEFAULT_PERMISSIONS[role]
  const changed = typed.required !== required || typed.optional !== optional || typed.life !== 'none'
  return html`${
      current == null
        ? ''
        : html`<p class="notice">Connected to ${current.address ?? 'a wallet'}. A new connection replaces it.</p>`
    }
    <form action="${path}/connect" method="post">
      ${placeOf(typed.back) === undefined ? '' : html`<input type="hidden" name="back" value="${typed.back}" />`}
      ${textField({
        name: 'address',
        label: role === 'merchant' ? 'UMA address of the shop' : 'Your UMA address',
        value: typed.address,
        more: html`autocomplete="off" autocapitalize="none" spellcheck="false" required`,
        ...at('address'),
      })}
      ${role === 'merchant' ? '' : budgetView(typed, at('budget').problem)}
      <details ${changed ? 'open' : ''}>
        <summary>Permissions requested</summary>
        ${textField({ name: 'required', label: 'Required', value: typed.required, more: html`spellcheck="false"` })}
        ${areaField({ name: 'optional', label: 'Optional', value: typed.optional })}
        ${choiceField({ name: 'life', label: 'Expires', value: typed.life, choices: LIVES })}
      </details>
      <p><button class="main">Connect</button></p>
    </form>
    <h2>Or paste a pairing URI</h2>
    <p class="label">
      A gateway shows one for each manual connection. It begins with nostr+walletconnect://. At a public gateway, this
      is the only way for a shop whose relay is ws://, as in this demo: the gateway looks apps up on wss:// relays only.
    </p>
    <form action="${path}/paste" method="post">
      ${areaField({
        name: 'uri',
        label: 'Pairing URI',
        more: html`autocomplete="off" autocapitalize="none" required`,
        ...at('uri'),
      })}
      <p><button>Connect with this URI</button></p>
    </form>`
}

function budgetView({ budget, currency, period }: ConnectForm, problem: Html | undefined): Html {
  const currencies = Object.keys(BUDGET_CURRENCIES).map((code) => [code, code] as const)
  const periods = BUDGET_PERIODS.map((each) => [each, each === 'none' ? 'in total' : each] as const)
  const amount = html`inputmode="decimal" autocomplete="off"`
  return html`<fieldset>
    <legend>Budget requested</legend>
    <p class="label">You decide at the gateway. Leave the amount empty to request no budget.</p>
    <div class="row">
      ${textField({ name: 'budget', label: 'Amount', value: budget, isShort: true, more: amount, problem })}
      ${choiceField({ name: 'currency', label: 'Currency', value: currency, isShort: true, choices: currencies })}
      ${choiceField({ name: 'period', label: 'Per', value: period, isShort: true, choices: periods })}
    </div>
  </fieldset>`
}
