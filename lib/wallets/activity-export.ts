import { formatAmount } from '../money/format'
import { jsonArray } from '../platform/http/text-stream'
import type { Movement } from './activity'

export const EXPORT_FORMATS = ['csv', 'json'] as const
export type ExportFormat = (typeof EXPORT_FORMATS)[number]

type Slices = AsyncGenerator<readonly Movement[], void>

/** The movements as a file, one part for each slice. */
export function exportParts(format: ExportFormat, slices: Slices): AsyncGenerator<string, void> {
  return format === 'csv' ? csvOf(slices) : jsonArray(jsonOf(slices))
}

const COLUMNS = [
  'time',
  'state',
  'direction',
  'amount',
  'currency',
  'description',
  'counterparty',
  'memo',
  'connection',
  'payment_hash',
] as const
type Exported = Readonly<Record<(typeof COLUMNS)[number], string>>

async function* csvOf(slices: Slices): AsyncGenerator<string, void> {
  yield `${COLUMNS.join(',')}\r\n`
  for await (const slice of slices) {
    // An empty part would not be the answer to the reader's request.
    if (slice.length > 0) yield slice.map(toExported).map(csvLine).join('')
  }
}

async function* jsonOf(slices: Slices): AsyncGenerator<readonly string[], void> {
  for await (const slice of slices) yield slice.map((each) => JSON.stringify(toExported(each)))
}

function toExported({ at, state, code, amount, text, party, memo, connectionId, paymentHash }: Movement): Exported {
  return {
    time: at.toISOString(),
    state,
    direction: amount < 0n ? 'sent' : 'received',
    amount: formatAmount(amount, code).replaceAll(',', '').replace('−', '-'),
    currency: code,
    description: text,
    counterparty: party ?? '',
    memo: memo ?? '',
    connection: connectionId ?? '',
    payment_hash: paymentHash ?? '',
  }
}

function csvLine(row: Exported): string {
  return `${COLUMNS.map((column) => csvCell(row[column])).join(',')}\r\n`
}

const NUMBER = /^-?\d+(?:\.\d+)?$/
/**
 * A spreadsheet computes a cell that begins with one of these, also in its wide form. In many countries it separates cells with
 * semicolons. Memos and addresses come from strangers.
 */
const FORMULAS = /(?<=^|;)(?=\s*[=+\-@\t\r＝＋－＠])/g

/** A cell of RFC 4180. What a spreadsheet could compute begins with an apostrophe; a number stays one. */
export function csvCell(text: string): string {
  const safe = NUMBER.test(text) ? text : text.replaceAll(FORMULAS, "'")
  return /[",\r\n\t]/.test(safe) || safe !== text ? `"${safe.replaceAll('"', '""')}"` : safe
}
