import { html } from 'hono/html'
import { formatUnits } from '../../lib/money/format'
import { visibleText } from '../../lib/platform/visible-text'
import { moment } from '../shared/moments'
import { facts, type Html } from '../shared/page'
import { msatsText } from './money'

type Result = Readonly<Record<string, unknown>>

/** Formats the result of a command the shop knows, and lists the fields of any other. */
export function resultView(command: string, result: Result): Html {
  if (command === 'get_balance') return html`<p class="figure">${amountOf(result.balance, result.currency)}</p>`
  if (command === 'get_budget') return budgetView(result)
  if (command === 'list_transactions') return listView(result.transactions)
  if (command === 'fetch_quote') return quoteView(result)
  if (command === 'pay_to_address' && isRecord(result.quote)) {
    const { quote, ...paid } = result
    return html`${quoteView(quote)} ${fieldsView(paid)}`
  }
  return fieldsView(result)
}

function quoteView(quote: Result): Html {
  const { total_sending_amount: sent, total_receiving_amount: received, fees, expires_at: endsAt } = quote
  return html`<p class="figure">
      ${amountOf(sent, quote.sending_currency)} <span class="label">sent</span>,
      ${amountOf(received, quote.receiving_currency)}
      <span class="label">received</span>
    </p>
    ${facts([
      ['Fees', fees === 0 ? 'none' : `${amountOf(fees, quote.sending_currency)} (included)`],
      ['Valid until', isAmount(endsAt) ? dateText(endsAt) : 'not given'],
      ['Payment hash', String(quote.payment_hash)],
    ])}`
}

function budgetView(result: Result): Html {
  const currency = isRecord(result.currency) ? result.currency : undefined
  const total = currency?.total_budget ?? result.total_budget
  const used = currency?.used_budget ?? result.used_budget
  if (!isAmount(total) || !isAmount(used)) return html`<p>No limit.</p>`
  const left = Math.max(0, total - used)
  const renews = result.renews_at
  return html`<p class="figure">${amountOf(left, currency)} <span class="label">left</span></p>
    <p class="label">
      ${amountOf(used, currency)} of ${amountOf(total, currency)}
      used${isAmount(renews) ? `, resets ${dateText(renews)}` : ''}
    </p>`
}

function listView(value: unknown): Html {
  const list = Array.isArray(value) ? value.filter(isRecord) : []
  if (list.length === 0) return html`<p>No payments yet.</p>`
  return html`<table>
    <thead>
      <tr>
        <th scope="col">When</th>
        <th scope="col">Description</th>
        <th scope="col" class="number">Amount</th>
      </tr>
    </thead>
    <tbody>
      ${list.map(
        (entry) =>
          html`<tr>
            <td>${isAmount(entry.created_at) ? dateText(entry.created_at) : ''}</td>
            <td>
              ${visibleText(typeof entry.description === 'string' ? entry.description : null) ?? 'no description'}
              <span class="label">${entry.settled_at == null ? 'not settled' : ''}</span>
            </td>
            <td class="number">${entry.type === 'outgoing' ? '−' : '+'}${amountOf(entry.amount, undefined)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`
}

function fieldsView(result: Result): Html {
  const fields = Object.entries(result).filter(([, value]) => value !== null && value !== undefined)
  if (fields.length === 0) return html`<p>Done.</p>`
  return facts(fields.map(([name, value]) => [html`<code>${name}</code>`, fieldText(name, value)]))
}

function fieldText(name: string, value: unknown): string {
  if (isAmount(value) && name.endsWith('_at')) return dateText(value)
  if (isAmount(value) && /^(amount|fees_paid)$/.test(name)) return amountOf(value, undefined)
  if (typeof value === 'string') return value
  if (name === 'currencies' && Array.isArray(value)) return value.map(codeOf).join(', ')
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
    ? value.join(', ')
    : JSON.stringify(value)
}

/** The code of a currency; limits and rates are in the raw answer. */
function codeOf(entry: unknown): string {
  const currency = isRecord(entry) && isRecord(entry.currency) ? entry.currency : undefined
  return typeof currency?.code === 'string' ? currency.code : JSON.stringify(entry)
}

/** Smallest units of the currency, or millisatoshis when there is none. */
function amountOf(value: unknown, currency: unknown): string {
  if (!isAmount(value)) return String(value)
  if (!isRecord(currency) || !isAmount(currency.decimals) || currency.decimals > 12) return msatsText(BigInt(value))
  return `${formatUnits(BigInt(value), currency.decimals)} ${String(currency.code)}`
}

function dateText(seconds: number): string {
  return Number.isNaN(new Date(seconds * 1000).getTime()) ? String(seconds) : moment(seconds)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isAmount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
