import { untraced } from './trace'

/** Counts events of one kind, and reports their number once, this long after the first of them. */
export function makeTally(reportAfterMs: number, report: (count: number) => void): () => void {
  let count = 0
  const end = (): void => {
    report(count)
    count = 0
  }
  return () => {
    count += 1
    if (count === 1) untraced(() => setTimeout(end, reportAfterMs).unref())
  }
}
