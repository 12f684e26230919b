import type { Spread } from './statistics'

/** A Markdown table. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

export function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}

/** Formats smaller values with more decimals, because the rounds are not more precise. */
export function decimal(value: number): string {
  return value >= 1_000 ? whole(value) : value.toFixed(value < 1 ? 3 : value < 100 ? 2 : 0)
}

export function range({ least, most }: Spread, format: (value: number) => string = decimal): string {
  return `${format(least)} – ${format(most)}`
}
