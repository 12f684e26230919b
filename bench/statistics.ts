/** The median and the range of the rounds. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
  readonly rounds: number
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2
}

/** The smallest value that at least this share of the values does not exceed; NaN for an empty list. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values), rounds: values.length }
}

/** `after : before`, paired by round, so that a slow minute of the machine affects both parts of a ratio. */
export function pairedRatio(before: readonly number[], after: readonly number[]): Spread {
  if (before.length !== after.length) throw new Error('Each round needs both measurements.')
  return spreadOf(after.map((value, round) => value / (before[round] ?? Number.NaN)))
}

/** Whether a ratio is at most its target in every round, in no round, or in some rounds. One round settles nothing. */
export function targetVerdict(
  { least, most, rounds }: Spread,
  target: number,
): 'reached' | 'not reached' | 'not settled' {
  if (rounds < 2) return 'not settled'
  if (most <= target) return 'reached'
  return least > target ? 'not reached' : 'not settled'
}
