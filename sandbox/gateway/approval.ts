import type { Limit } from './budget'
import { FREQUENCIES } from './budget'
import type { Login } from './login'
import { parseMoney } from './money-text'
import { AS_ASKED, LIVES } from './views/approval-view'

/** The terms of an approval form, read. */
export interface Terms {
  readonly limit: Limit | null
  /** Undefined for a connection without an end. */
  readonly expiresAtSeconds: number | undefined
}

/** Undefined when the amount, the period or the end cannot be read. `askedEndSeconds` is what the app asked for. */
export function readTerms(
  form: URLSearchParams,
  login: Login,
  nowSeconds: number,
  askedEndSeconds?: number,
): Terms | undefined {
  const end = readEnd(form.get('life'), nowSeconds, askedEndSeconds)
  if (end === undefined) return undefined
  const expiresAtSeconds = end ?? undefined
  if (form.get('limited') !== 'yes') return { limit: null, expiresAtSeconds }
  const amount = parseMoney(form.get('amount') ?? '', login.currency.decimals)
  const frequency = FREQUENCIES.find((each) => each === form.get('frequency'))
  if (amount === undefined || frequency === undefined) return undefined
  return { limit: { amount, frequency, startSeconds: nowSeconds }, expiresAtSeconds }
}

/** Null for no end; undefined for a choice that is none, or an end that has passed while the person thought. */
function readEnd(choice: string | null, nowSeconds: number, askedEndSeconds?: number): number | null | undefined {
  if (choice === AS_ASKED)
    return askedEndSeconds !== undefined && askedEndSeconds > nowSeconds ? askedEndSeconds : undefined
  const life = LIVES.find(([value]) => value === choice)
  if (life === undefined) return undefined
  return life[2] === undefined ? null : nowSeconds + life[2]
}

export const TERMS_PROBLEM =
  'A budget needs an amount above zero with no more decimals than the currency has, and the end must be one that has not passed.'
