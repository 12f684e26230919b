import { describe, expect, it } from 'vitest'
import { htmlReport } from './report-html.ts'
import { countsText, junitReport, outcomeOf } from './report.ts'
import type { Report } from './runner.ts'
import type { CaseResult, Level, Status } from './verdict.ts'

function reportOf(...given: readonly (readonly [Status, Level, string?])[]): Report {
  const results: CaseResult[] = given.map(([status, level, reason = ''], index) => ({
    id: `area.case-${index}`,
    level,
    title: 'does it',
    status,
    reason,
    durationMs: 1,
    exchanges: [],
  }))
  return {
    vasp: 'http://localhost:4000',
    startedAt: '2026-01-01T00:00:00.000Z',
    durationMs: 1,
    results,
    failOn: 'must',
  }
}

describe('the outcome of a run', () => {
  it.each([
    ['every case passed', reportOf(['pass', 'must']), 0, 'The VASP conforms.'],
    ['a must failed', reportOf(['pass', 'must'], ['fail', 'must']), 1, 'The VASP does not conform. Failed: 1 must.'],
    [
      'the public gateway fails',
      reportOf(['pass', 'must'], ['fail', 'gateway-compatibility'], ['fail', 'should']),
      1,
      'The VASP does not conform. Failed: 1 gateway-compatibility, 1 should.',
    ],
    [
      'only good practice failed',
      reportOf(['pass', 'must'], ['fail', 'should'], ['fail', 'should'], ['not-run', 'should', 'depends on a.b']),
      0,
      'The VASP conforms. Failed: 2 should. These levels do not change the verdict (--fail-on must).',
    ],
    [
      'good practice failed, which counts',
      { ...reportOf(['pass', 'must'], ['fail', 'should']), failOn: 'should' as const },
      1,
      'The VASP does not conform. Failed: 1 should.',
    ],
    [
      'a case depends on one that failed',
      reportOf(['pass', 'must'], ['not-run', 'must', 'depends on login.sign-in']),
      1,
      'The VASP does not conform.',
    ],
    [
      'only an optional case failed',
      reportOf(['pass', 'must'], ['fail', 'option']),
      0,
      'The VASP conforms. Failed: 1 option. These levels do not change the verdict (--fail-on must).',
    ],
    [
      'no case was judged',
      reportOf(['not-run', 'must', 'needs --uma'], ['not-applicable', 'must']),
      2,
      'Could not run. No selected case applies, or an option is missing: see the reasons above.',
    ],
    [
      'the VASP never answered',
      { ...reportOf(['not-run', 'must']), obstacle: 'Nothing answers.' },
      2,
      'Could not run. Nothing answers.',
    ],
    [
      'the sign-in ended the run after a failure',
      { ...reportOf(['fail', 'must'], ['not-run', 'must']), obstacle: 'Wrong recipe.' },
      2,
      'Could not run. Wrong recipe. Cases that failed before that: 1.',
    ],
  ])('explains the result when %s', (_name, report, exitCode, text) => {
    expect(outcomeOf(report)).toEqual({ exitCode, text })
  })

  it('counts optional failures separately', () => {
    expect(countsText(reportOf(['pass', 'must'], ['fail', 'option'], ['not-run', 'must']))).toBe(
      '1 passed, 0 must failed, 1 optional failed, 0 not applicable, 1 not run',
    )
  })

  it('skips a case in JUnit whose level does not count, and fails one that does', () => {
    const report = reportOf(['pass', 'must'], ['fail', 'should', 'slow'], ['fail', 'gateway-compatibility'])
    expect(junitReport(report)).toContain('tests="3" failures="1" skipped="1"')
    expect(junitReport({ ...report, failOn: 'should' })).toContain('tests="3" failures="2" skipped="0"')
  })

  it('is an error in JUnit when the kit could not run, so that no pipeline takes it for a pass', () => {
    const junit = junitReport({ ...reportOf(['not-run', 'must']), obstacle: 'Nothing answers.' })
    expect(junit).toContain(
      '<testsuites name="UMA Auth conformance of http://localhost:4000" tests="2" failures="0" errors="1"',
    )
    expect(junit).toContain('<error message="Could not run. Nothing answers."/>')
  })
})

it('breaks a long word of the VASP anywhere in HTML, so that the page is never wider than a phone', () => {
  const html = htmlReport(reportOf(['fail', 'must', 'W'.repeat(639)]), [])
  const [, style = ''] = /<style>(.*?)<\/style>/s.exec(html) ?? []
  expect(style).toMatch(/^body \{[^}]*overflow-wrap: anywhere/m)
  expect(style).not.toMatch(/white-space: (nowrap|pre);|overflow-wrap: (?!anywhere)|overflow-x/)
})
