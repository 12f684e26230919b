import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import { commaText, readUnits } from '../money/format'

export const STATES = ['settled', 'pending', 'failed'] as const
export type MovementState = (typeof STATES)[number]
export const DIRECTIONS = ['received', 'sent'] as const
type Direction = (typeof DIRECTIONS)[number]

/** Maximum length of each text of the filter. */
export const LONGEST_TEXT = 100

/** What the movements are chosen by. */
export interface ActivityFilter {
  readonly direction?: Direction | undefined
  readonly code?: CurrencyCode | undefined
  readonly connectionId?: string | undefined
  /** The first moment of the period. */
  readonly from?: Date | undefined
  /** The first moment after the period. */
  readonly until?: Date | undefined
  readonly state?: MovementState | undefined
  readonly counterparty?: string | undefined
  /** Amounts without sign in thousandths of a currency's main unit, inclusive. */
  readonly least?: bigint | undefined
  readonly most?: bigint | undefined
  readonly text?: string | undefined
}

/** The fields of the filter's form, in their order. */
const FIELDS = [
  'direction',
  'currency',
  'connection',
  'from',
  'to',
  'state',
  'counterparty',
  'least',
  'most',
  'text',
] as const
type FilterField = (typeof FIELDS)[number]
export type TypedFilter = Readonly<Record<FilterField, string>>

interface ActivityQuery {
  readonly typed: TypedFilter
  readonly filter: ActivityFilter
  /** The text of each field's mistake. With a mistake, nothing is listed. */
  readonly errors: Readonly<Partial<Record<FilterField, string>>>
}

/** The values of the address, or of `URLSearchParams` by `Object.fromEntries`. */
type Values = Readonly<Record<string, string | string[] | undefined>>

/**
 * Reads the filter in an address. No value is trusted.
 * @param startOfDay the first moment of a day such as "2026-01-31", in the zone of the reader.
 */
export function readActivityQuery(values: Values, startOfDay: (day: string) => Date): ActivityQuery {
  const typed = Object.fromEntries(FIELDS.map((field) => [field, textOf(values[field])])) as TypedFilter
  const errors: Partial<Record<FilterField, string>> = {}
  const oneOf = <Choice extends string>(field: FilterField, choices: readonly Choice[]): Choice | undefined => {
    const chosen = choices.find((choice) => choice === typed[field])
    if (typed[field] !== '' && chosen === undefined) errors[field] = 'Choose one of the list.'
    return chosen
  }
  const day = (field: FilterField): string | undefined => {
    if (typed[field] === '') return undefined
    if (isDay(typed[field])) return typed[field]
    errors[field] = 'Type a date as 2026-01-31.'
    return undefined
  }
  const amount = (field: FilterField): bigint | undefined => {
    if (typed[field] === '') return undefined
    const read = readUnits(typed[field], 3)
    if (typeof read === 'bigint') return read
    errors[field] = read === 'invalid' ? 'Type an amount above zero, such as 12.50.' : commaText(read, typed[field])
    return undefined
  }
  if (typed.currency !== '' && !isCurrencyCode(typed.currency)) errors.currency = 'Choose one of the list.'
  if (typed.connection !== '' && !/^[\x21-\x7e]{1,64}$/.test(typed.connection))
    errors.connection = 'Choose one of the list.'
  const [from, to] = [day('from'), day('to')]
  const [least, most] = [amount('least'), amount('most')]
  if (from !== undefined && to !== undefined && to < from) errors.to = 'The last day is before the first.'
  if (least !== undefined && most !== undefined && most < least)
    errors.most = 'The largest amount is below the smallest.'
  const filter: ActivityFilter = {
    direction: oneOf('direction', DIRECTIONS),
    code: isCurrencyCode(typed.currency) ? typed.currency : undefined,
    connectionId: typed.connection === '' ? undefined : typed.connection,
    from: from === undefined ? undefined : startOfDay(from),
    until: to === undefined ? undefined : startOfDay(dayAfter(to)),
    state: oneOf('state', STATES),
    counterparty: typed.counterparty === '' ? undefined : typed.counterparty,
    least,
    most,
    text: typed.text === '' ? undefined : typed.text,
  }
  return { typed, filter, errors }
}

function isDay(text: string): boolean {
  if (!/^(?:19|20|21)\d\d-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  // JavaScript reads 31 February as 3 March.
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

function dayAfter(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  date.setUTCDate(date.getUTCDate() + 1)
  return date.toISOString().slice(0, 10)
}

function textOf(value: string | string[] | undefined): string {
  return typeof value === 'string'
    ? value
        .replaceAll(/[\0\p{Cs}]/gu, '')
        .trim()
        .slice(0, LONGEST_TEXT)
        // Half of a character.
        .replace(/[\uD800-\uDBFF]$/, '')
    : ''
}

/** The fields that are not blank, for an address. */
export function paramsOf(typed: TypedFilter): URLSearchParams {
  return new URLSearchParams(FIELDS.flatMap((field) => (typed[field] === '' ? [] : [[field, typed[field]]])))
}

/** Whether an index finds the matches. With any other filter, the newest movements are searched. */
export function isIndexed({ state, counterparty, least, most, text }: ActivityFilter): boolean {
  return [state, counterparty, least, most, text].every((value) => value === undefined)
}
