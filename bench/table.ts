import type { Row } from './measure'

/** A table of Markdown. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

interface Columns {
  /** Whose cores are counted. */
  readonly servers: 'server' | 'servers'
  readonly digits: number
  /** Otherwise the database works in the server. */
  readonly hasOwnDatabase: boolean
}

/** What was measured under two loads each, a row each. */
export function loadTable(rows: readonly Row[], { servers, digits, hasOwnDatabase }: Columns): string {
  const rate = (value: number): string =>
    value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits })
  return table(
    ['What', 'a second', 'arrivals/s', 'p50 ms', 'p99 ms', 'MB', `cores: ${servers}`, 'database', 'load'],
    rows.map((row) => [
      row.what,
      rate(row.perSecond),
      row.arrivalsPerSecond.toLocaleString('en-US'),
      row.p50Ms.toFixed(2),
      row.p99Ms.toFixed(2),
      row.residentMb.toFixed(0),
      row.serverCores.toFixed(2),
      hasOwnDatabase ? row.databaseCores.toFixed(2) : 'in the server',
      row.loadCores.toFixed(2),
    ]),
  )
}
