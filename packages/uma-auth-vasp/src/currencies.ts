import type { Currency } from './backend.ts'
import { ask } from './callbacks.ts'

/** A list, or a function that returns the current one. */
export type Currencies<Code extends string = string> =
  readonly Currency<Code>[] | (() => readonly Currency<Code>[] | Promise<readonly Currency<Code>[]>)

/** @returns what is wrong with a list of currencies, for a sentence that names it; undefined for a list that can be used. */
export function faultOf(list: unknown): string | undefined {
  if (!Array.isArray(list) || list.length === 0) return 'must not be empty'
  const currencies: readonly Partial<Record<keyof Currency, unknown>>[] = list.map((each: unknown) => each ?? {})
  const codes = currencies.map(({ code }) => code)
  if (!codes.every((code) => typeof code === 'string' && /^.{1,3}$/.test(code)))
    return 'must have codes of one to three characters'
  if (new Set(codes).size < codes.length) return 'must name each code once'
  const isWhole = ({ symbol, name, decimals }: (typeof currencies)[number]): boolean =>
    typeof symbol === 'string' && typeof name === 'string' && Number.isInteger(decimals) && Number(decimals) >= 0
  return currencies.every(isWhole) ? undefined : 'must have symbol, name and a whole number of decimals'
}

/**
 * The current list. A function is asked each time, with the rules of the other callbacks.
 * @throws Error, to log and to answer with 500, when the function has no list that can be used.
 */
export async function currentCurrencies(currencies: Currencies, timeoutSeconds: number): Promise<readonly Currency[]> {
  if (typeof currencies !== 'function') return currencies
  const list: unknown = await ask('currencies', timeoutSeconds, currencies)
  // A copy, so that the list that was checked is the list that is used.
  const copy: unknown = Array.isArray(list) ? list.map((each: unknown) => ({ ...(each as Currency) })) : list
  const fault = faultOf(copy)
  if (fault === undefined) return copy as Currency[]
  throw new Error(`the list that currencies answered ${fault}`)
}
