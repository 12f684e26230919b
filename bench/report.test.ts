import { describe, expect, it } from 'vitest'
import type { Sample } from './measure'
import { figureTable, introduction, isWorse, rowTable, type RowResult } from './report'
import { spreadOf } from './statistics'

const run = { machine: 'a machine', versions: 'Node 20', commit: 'abc1234', command: 'npm run bench', at: '2026-11-23' }

function samples(...cpu: readonly number[]): Sample[] {
  return cpu.map((ms) => ({ serverMs: ms / 2, databaseMs: ms / 2, perSecond: 1_000, p50Ms: 1, p99Ms: 2 }))
}

function compared(...after: readonly number[]): RowResult {
  return { what: 'GET /balance', callers: 10, sides: [samples(1, 1, 1), samples(...after)] }
}

describe('the table of the rows', () => {
  it('shows CPU first, then rate and latency', () => {
    const row = { what: 'GET /balance', callers: 10, sides: [samples(0.1, 0.2, 0.3)] }
    expect(rowTable([row])).toContain(
      '| GET /balance | 10 | 0.200 | 0.100 – 0.300 | 0.100 + 0.100 | 1,000 | 1.0 / 2.0 |',
    )
  })

  it.each([
    { after: [1.2, 1.3, 1.4], verdict: 'worse' },
    { after: [1.05, 1.3, 1.4], verdict: 'not settled' },
    { after: [0.8, 0.9, 1.1], verdict: 'reached' },
    { after: [0.8, 0.9, 1.2], verdict: 'not settled' },
  ])('calls the ratios $after $verdict', ({ after, verdict }) => {
    expect(rowTable([compared(...after)], 'main')).toContain(` | ${verdict} |`)
    expect(isWorse(compared(...after))).toBe(verdict === 'worse')
  })

  it('pairs the rounds: a slow round changes both parts and not the ratio', () => {
    const sides = [samples(1, 10, 2), samples(2, 20, 4)]
    expect(rowTable([{ what: 'x', callers: 1, sides }], 'main')).toContain('| 2.00 | 2.00 – 2.00 | worse |')
  })

  it('shows a dash for a side without the row, and no verdict', () => {
    const row: RowResult = { what: 'GET /-/serving', callers: 10, sides: [undefined, samples(1)] }
    expect(rowTable([row], 'main')).toMatch(/\| 1\.0 \/ 2\.0 \| – \| – \| – \| – \|$/)
    expect(isWorse(row)).toBe(false)
    const lost: RowResult = { ...row, sides: [samples(1), undefined] }
    expect(rowTable([lost], 'main')).toMatch(/\| 10 \| – \| – \| – \| – \| – \| 1\.00 \| – \| – \| – \|$/)
  })
})

describe('the table of figures', () => {
  it('gives median, range and verdict', () => {
    const figures = [
      { what: 'A : B', spreads: [spreadOf([0.5, 0.6, 0.7])], aim: 1.1 },
      { what: 'C : D', spreads: [spreadOf([1, 1.2, 1.4])], aim: 1.15 },
      { what: 'E', spreads: [undefined] },
    ]
    const text = figureTable(figures, ['this commit'])
    expect(text).toContain('| A : B | 0.600 | 0.500 – 0.700 | ≤ 1.1 | reached |')
    expect(text).toContain('| C : D | 1.20 | 1.00 – 1.40 | ≤ 1.15 | not settled |')
    expect(text).toContain('| E | – | – |  |  |')
  })

  it('judges the last commit', () => {
    const figures = [{ what: 'A', spreads: [spreadOf([5, 5]), spreadOf([1, 1])], aim: 2 }]
    expect(figureTable(figures, ['main', 'this commit'])).toContain('| ≤ 2 | reached |')
  })
})

it('the page begins with the command, the commit and the machine', () => {
  const text = introduction(run, 3, 2).join('\n')
  for (const part of ['npm run bench', 'abc1234', 'a machine', 'Node 20', '3 rounds of 2 s'])
    expect(text).toContain(part)
})
