import { describe, expect, it } from 'vitest'
import { CONTROL } from './benchmarks'
import type { Sample } from './measure'
import type { Ratio } from './ratio'
import { comparisonReport, ratioTable, reportOf, rowsThatAre, type Comparison } from './report'
import { spreadOf } from './statistics'

const run = { machine: 'a machine', versions: 'Node 20', commit: 'abc1234', command: 'npm run bench', at: '2026-11-23' }

function samples(...cpu: readonly number[]): Sample[] {
  return cpu.map((ms) => ({ serverMs: ms / 2, databaseMs: ms / 2, perSecond: 1_000, p50Ms: 1, p99Ms: 2 }))
}

function comparisonOf(control: readonly number[], balance: readonly number[]): Comparison {
  const ones = samples(1, 1, 1)
  return {
    commit: 'main',
    rounds: 3,
    isQuick: false,
    engines: [
      {
        title: 'PostgreSQL',
        rows: [
          { what: CONTROL, callers: 10, before: ones, after: samples(...control) },
          { what: 'GET /balance', callers: 10, before: ones, after: samples(...balance) },
        ],
      },
    ],
  }
}

describe('the report of a comparison', () => {
  it('names the rows that are worse', () => {
    const comparison = comparisonOf([1, 1, 1], [1.2, 1.3, 1.4])
    expect(rowsThatAre('worse', comparison).map(({ what }) => what)).toEqual(['GET /balance'])
    const report = comparisonReport(run, comparison)
    expect(report).toContain('| GET /balance | 10 | 1.00 | 1.30 | 1.30 | 1.20 – 1.40 | worse |')
    expect(report).toContain('Worse: GET /balance with 10 callers (PostgreSQL).')
    expect(report).not.toContain('The control differs')
  })

  it('says when no row is worse, and when the control differs', () => {
    expect(comparisonReport(run, comparisonOf([1, 1, 1], [0.9, 1.2, 1.3]))).toContain('No row is worse.')
    expect(comparisonReport(run, comparisonOf([1.2, 1.2, 1.2], [1, 1, 1]))).toContain('The control differs too')
  })
})

describe('the report of one commit', () => {
  const ratios: Ratio[] = [
    { what: 'A : B', spread: spreadOf([0.5, 0.6, 0.7]), target: 1.1 },
    { what: 'C : D', spread: spreadOf([1, 1.2, 1.4]), target: 1.15 },
  ]

  it('gives median, range and verdict of each ratio', () => {
    expect(ratioTable(ratios)).toContain('| A : B | 0.600 | 0.500 – 0.700 | ≤ 1.1 | reached |')
    expect(ratioTable(ratios)).toContain('| C : D | 1.20 | 1.00 – 1.40 | ≤ 1.15 | not settled |')
  })

  it('shows CPU first, then rate and latency, and names both memories', () => {
    const row = { what: 'GET /balance', callers: 10, samples: samples(0.1, 0.2, 0.3) }
    const engines = [{ title: 'PostgreSQL', rows: [row], serverMb: 200, databaseMb: 50 }]
    const report = reportOf(run, { rounds: 3, isQuick: false, ratios, engines, overload: undefined })
    expect(report).toContain('| GET /balance | 10 | 0.200 | 0.100 – 0.300 | 0.100 + 0.100 | 1,000 | 1.0 | 2.0 |')
    expect(report).toContain('Memory: server 200 MB at most; PostgreSQL 50 MB.')
    expect(report).toContain(`<!-- ratios -->\n\n${ratioTable(ratios)}\n\n<!-- /ratios -->`)
  })
})
