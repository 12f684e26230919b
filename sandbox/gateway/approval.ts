import type { Limit } from './budget'
import { FREQUENCIES } from './budget'
import type { Login } from './login'
import { parseMoney } from './money-text'
import { LIVES } from './views/approval-view'

/** The terms of an approval form, read. */
export interface Terms {
  readonly limit: Limit | null
  /** Seconds from now; undefined for a connection without an end. */
  readonly lifeSeconds: number | undefined
}

/** Undefined when the amount, the period or the end cannot be read. */
export function readTerms(form: URLSearchParams, login: Login, nowSeconds: number): Terms | undefined {
  const life = LIVES.find(([value]) => value === form.get('life'))
  if (life === undefined) return undefined
  const lifeSeconds = life[2]
  if (form.get('limited') !== 'yes') return { limit: null, lifeSeconds }
  const amount = parseMoney(form.get('amount') ?? '', login.currency.decimals)
  const frequency = FREQUENCIES.find((each) => each === form.get('frequency'))
  if (amount === undefined || frequency === undefined) return undefined
  return { limit: { amount, frequency, startSeconds: nowSeconds }, lifeSeconds }
}

export const TERMS_PROBLEM =
  'A budget needs an amount above zero with no more decimals than the currency has, and an end is needed.'
