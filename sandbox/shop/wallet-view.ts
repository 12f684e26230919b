import { html } from 'hono/html'
import { moment, momentOfCall } from '../shared/moments'
import { areaField, choiceField, facts, textField, type Html } from '../shared/page'
import type { Entry } from './call-log'
import { PAYING, QUESTIONS, RECEIVING, TO_ADDRESSES, type Command, type Field } from './commands'
import { linksView } from './links-view'
import { budgetWords } from './money'
import { problemView } from './page'
import { resultView } from './result-view'
import type { Places } from './settings'
import type { Connection, Role } from './store'

export const PATH_OF: Readonly<Record<Role, string>> = { customer: '/wallet', merchant: '/merchant' }

/** The permissions of a connected wallet, and a form for each command. */
export function walletView(role: Role, connection: Connection, entries: readonly Entry[], places: Places): Html {
  const step = (command: Command): Html => stepView(role, connection, command, entries, places)
  return html`${connectionView(role, connection)} ${role === 'merchant' ? '' : linksView(connection, places)}
    <h2>Ask</h2>
    ${QUESTIONS.map(step)}
    <h2>Receive</h2>
    ${RECEIVING.map(step)}
    ${
      role === 'merchant'
        ? ''
        : html`<h2>Pay</h2>
            ${PAYING.map(step)}
            <h2>Pay an address</h2>
            <p class="label">
              Pay from any currency of the wallet, in any currency that the recipient accepts. A quote shows the price
              first; you can also pay an address without a quote.
            </p>
            ${TO_ADDRESSES.map(step)}`
    }`
}

function connectionView(role: Role, { address, relay, wallet, grant }: Connection): Html {
  const path = PATH_OF[role]
  const granted =
    grant === null
      ? []
      : ([
          ['Allowed', grant.commands.join(', ') || 'not given'],
          ['Budget', budgetWords(grant.budget)],
          ['Connection expires', momentOf(grant.endsAtSeconds)],
          ['Access expires', `${momentOf(grant.accessEndsAtSeconds)}, renews automatically`],
        ] as const)
  return html`${facts([
      ['Wallet', address ?? 'address not given'],
      [
        'Connected by',
        grant === null ? 'a pasted pairing URI' : `UMA Auth at ${new URL(grant.server.token_endpoint).host}`,
      ],
      ...granted,
      ['Relay', html`${relay}, encrypted for <code>${wallet.slice(0, 12)}…</code>`],
    ])}
    <div class="row">
      ${
        grant?.refreshToken == null
          ? ''
          : html`<form action="${path}/refresh" method="post"><button>Renew access now</button></form>`
      }
      <form action="${path}/disconnect" method="post"><button class="grave">Disconnect</button></form>
    </div>`
}

function stepView(
  role: Role,
  { id, grant }: Connection,
  command: Command,
  entries: readonly Entry[],
  places: Places,
): Html {
  const own = entries.filter(({ connectionId }) => connectionId === id)
  const latest = own.find((entry) => entry.command === command.name)
  const withheld = grant !== null && grant.commands.length > 0 && !grant.commands.includes(command.name)
  return html`<section class="step" id="${command.name}">
    <h3>${command.title} <code>${command.name}</code></h3>
    ${withheld ? html`<p class="label">Not allowed for this connection. Try it to see the error.</p>` : ''}
    ${command.hint === undefined ? '' : html`<p class="label">${command.hint(places)}</p>`}
    <form action="${PATH_OF[role]}/call" method="post">
      <input type="hidden" name="command" value="${command.name}" />
      <div class="fields">${command.fields.map((field) => fieldView(command.name, field, places))}</div>
      <button class="${command.pays ? 'main' : ''}">${command.words}</button>
    </form>
    ${latest === undefined ? '' : answerView(command, latest, outdatedBy(command, latest, own))}
  </section>`
}

function fieldView(command: string, { name, label, kind, value = '', choices = [] }: Field, places: Places): Html {
  const field = { id: `${command}-${name}`, name, label }
  if (kind === 'choice') return choiceField({ ...field, choices })
  const more = html`autocomplete="off" autocapitalize="none" required`
  if (kind === 'long') return areaField({ ...field, more })
  return textField({
    ...field,
    value: typeof value === 'string' ? value : value(places),
    more: html`${kind === 'integer' ? html`inputmode="numeric" pattern="[1-9][0-9]*"` : ''} ${more} spellcheck="false"`,
  })
}

/** The next step after an answer: a quote can be paid at its price. */
function nextView(command: string, result: Readonly<Record<string, unknown>>): Html {
  const { payment_hash: hash } = result
  if (command !== 'fetch_quote' || typeof hash !== 'string') return html``
  return html`<form action="${PATH_OF.customer}/call" method="post">
    <input type="hidden" name="command" value="execute_quote" />
    <input type="hidden" name="payment_hash" value="${hash}" />
    <button class="main">Pay at this price</button>
  </form>`
}

const PAYING_NAMES: ReadonlySet<string> = new Set(
  [...PAYING, ...TO_ADDRESSES].filter(({ pays }) => pays).map(({ name }) => name),
)

/** Why an answer may be outdated: a later call of the connection. Entries are newest first. */
function outdatedBy(command: Command, answer: Entry, entries: readonly Entry[]): string | undefined {
  const later = entries.filter(({ number }) => number > answer.number)
  if (later.some(({ problem }) => problem?.code === 'UNAUTHORIZED')) return 'From before the connection ended.'
  const paid = later.some((entry) => entry.result !== undefined && PAYING_NAMES.has(entry.command ?? ''))
  return paid && QUESTIONS.includes(command) ? 'From before the last payment. Ask again.' : undefined
}

function answerView({ name }: Command, entry: Entry, outdated: string | undefined): Html {
  const call = html`<p class="label"><a href="#call-${entry.number}">Details of the call</a></p>`
  const at = html`<span class="label">${momentOfCall(entry.atMs)}</span>`
  if (entry.problem !== undefined)
    return html`<div class="answer" role="alert">
      <p>${at}</p>
      ${problemView(entry.problem)} ${call}
    </div>`
  if (entry.result === undefined) return html``
  return html`<div class="answer ${outdated === undefined ? '' : 'outdated'}" role="status">
    <p class="good"><span aria-hidden="true">✓ </span>Answered ${at}</p>
    ${outdated === undefined ? '' : html`<p class="label">${outdated}</p>`} ${resultView(name, entry.result)}
    ${nextView(name, entry.result)} ${call}
  </div>`
}

function momentOf(seconds: number | null): string {
  return seconds === null ? 'never' : moment(seconds)
}
