import { expect, test } from 'playwright/test'

/** Set by `npm run bench`, for a machine that does nothing else. */
export const isBench = process.env.MEASURE === 'yes'

/** The tag of the tests that the bench runs. */
export const MEASURED = '@measured'

/** Notes a figure of this machine. Only the bench compares it with its bound: a busy machine says nothing about it. */
export function measured(what: string, value: number, max: number, unit = 'ms'): void {
  const figure = `${what}: ${value} ${unit}, at most ${max}`
  test.info().annotations.push({ type: 'measured', description: figure })
  if (!isBench) return
  console.log(`  ${figure}`)
  // Soft, so that the figures after it are measured too.
  expect.soft(value, what).toBeLessThanOrEqual(max)
}
