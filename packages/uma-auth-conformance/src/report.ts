import { areaOf, type CaseResult, type Status } from './verdict.ts'
import type { Report } from './runner.ts'

export interface Summary {
  readonly counts: Readonly<Record<Status, number>>
  /** Whether at least one case passed, and no case other than an `option` failed or waits for one that failed. */
  readonly passed: boolean
}

/** Counts of the results, and the verdict of the run. */
export function summaryOf(results: readonly CaseResult[]): Summary {
  const counts = { pass: 0, fail: 0, 'not-applicable': 0, 'not-run': 0 }
  for (const { status } of results) counts[status] += 1
  const failed = results.some(
    ({ status, level, reason }) =>
      level !== 'option' && (status === 'fail' || (status === 'not-run' && reason.startsWith('depends on '))),
  )
  return { counts, passed: counts.pass > 0 && !failed }
}

/** The report as JSON, for programs. */
export function jsonReport(report: Report): string {
  return `${JSON.stringify({ ...report, summary: summaryOf(report.results) }, null, 2)}\n`
}

/** JUnit XML: a suite for each area. A failing `option` is no failure there. */
export function junitReport({ results, vasp, startedAt, durationMs }: Report): string {
  const areas = [...new Set(results.map(areaOf))]
  const suites = areas.map((area) => {
    const cases = results.filter((result) => areaOf(result) === area)
    const failures = cases.filter(isFailure).length
    const skipped = cases.filter(({ status }) => status === 'not-run' || status === 'not-applicable').length
    return [
      `  <testsuite name="${escapeXml(area)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}" errors="0" timestamp="${startedAt}">`,
      ...cases.map(testcase),
      '  </testsuite>',
    ].join('\n')
  })
  const failures = results.filter(isFailure).length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="UMA Auth conformance of ${escapeXml(vasp)}" tests="${results.length}" failures="${failures}" time="${durationMs / 1000}">`,
    ...suites,
    '</testsuites>',
    '',
  ].join('\n')
}

function isFailure({ status, level }: CaseResult): boolean {
  return status === 'fail' && level !== 'option'
}

function testcase(result: CaseResult): string {
  const { id, level, title, status, reason, durationMs, exchanges } = result
  const open = `    <testcase classname="${escapeXml(areaOf(result))}" name="${escapeXml(`${id}: ${title}`)}" time="${durationMs / 1000}"`
  if (status === 'pass') return `${open}/>`
  const log = exchanges.map(({ request, response }) => `${request}\n\n${response}`).join('\n\n---\n\n')
  const inner = isFailure(result)
    ? `<failure type="${level}" message="${escapeXml(reason)}">${escapeXml(log)}</failure>`
    : `<skipped message="${escapeXml(`${status}: ${reason}`)}"/>`
  return `${open}>${inner}</testcase>`
}

/** For text and attributes. Characters that XML 1.0 cannot hold are left out. */
export function escapeXml(text: string): string {
  return text
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`)
}
