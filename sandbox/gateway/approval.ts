import { commaProblem } from '../../lib/money/format'
import { fieldOf } from '../../lib/web/form-fields'
import { FREQUENCIES, type Limit } from './budget'
import type { Currency, Login } from './login'
import { moneyText, parseMoney } from './money-text'

export const LIVES: readonly (readonly [string, string, number | undefined])[] = [
  ['none', 'Never', undefined],
  ['hour', 'In one hour', 3_600],
  ['day', 'In one day', 86_400],
  ['week', 'In one week', 604_800],
  ['month', 'In one month (30 days)', 2_592_000],
  ['year', 'In one year (365 days)', 31_536_000],
]

/** The option for the expiry that the app requested. */
export const AS_ASKED = 'asked'

/** The parsed terms of an approval form. */
export interface Terms {
  readonly limit: Limit | null
  /** Undefined for a connection without an expiry. */
  readonly expiresAtSeconds: number | undefined
}

/** An invalid field of a form, and the message to show at it. */
export interface FieldProblem {
  readonly field: 'name' | 'amount' | 'frequency' | 'life'
  readonly message: string
}

/** A rejected form, shown again with the typed values. */
export interface Refused {
  readonly form: URLSearchParams
  readonly problem: FieldProblem
}

/** The terms of a form, or its first invalid field. `askedEndSeconds` is the expiry that the app requested. */
export function readTerms(
  form: URLSearchParams,
  login: Login,
  nowSeconds: number,
  askedEndSeconds?: number,
): Terms | { readonly problem: FieldProblem } {
  const limit = fieldOf(form, 'limited') === 'yes' ? readLimit(form, login, nowSeconds) : null
  if (limit !== null && 'problem' in limit) return limit
  const end = readEnd(fieldOf(form, 'life'), nowSeconds, askedEndSeconds)
  if (end === undefined) return { problem: { field: 'life', message: 'This time has passed. Choose a later one.' } }
  return { limit, expiresAtSeconds: end ?? undefined }
}

function readLimit(
  form: URLSearchParams,
  { currency }: Login,
  nowSeconds: number,
): Limit | { readonly problem: FieldProblem } {
  const typed = fieldOf(form, 'amount') ?? ''
  const amount = parseMoney(typed, currency.decimals)
  if (amount === undefined) return { problem: { field: 'amount', message: amountHint(currency, typed) } }
  const frequency = FREQUENCIES.find((each) => each === fieldOf(form, 'frequency'))
  if (frequency === undefined) return { problem: { field: 'frequency', message: 'Choose one of these periods.' } }
  return { amount, frequency, startSeconds: nowSeconds }
}

/** The message at the field of a refused amount. */
export function amountHint({ code, decimals }: Pick<Currency, 'code' | 'decimals'>, typed: string): string {
  const comma = commaProblem(typed, decimals)
  if (comma !== undefined) return comma
  const example = `such as ${moneyText(25 * 10 ** decimals, { code, decimals })}`
  if (decimals === 0) return `Enter a whole amount above zero, ${example}.`
  return `Enter an amount above zero with at most ${decimals} decimals after a point, ${example}.`
}

/** Null for no expiry; undefined for an unknown choice, or an expiry that has passed in the meantime. */
function readEnd(choice: string | undefined, nowSeconds: number, askedEndSeconds?: number): number | null | undefined {
  if (choice === AS_ASKED)
    return askedEndSeconds !== undefined && askedEndSeconds > nowSeconds ? askedEndSeconds : undefined
  const life = LIVES.find(([value]) => value === choice)
  if (life === undefined) return undefined
  return life[2] === undefined ? null : nowSeconds + life[2]
}
