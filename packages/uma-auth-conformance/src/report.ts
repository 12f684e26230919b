import type { Report } from './runner.ts'
import { areaOf, type CaseResult, type Status } from './verdict.ts'

export interface Summary {
  readonly counts: Readonly<Record<Status, number>>
  /** Number of failed cases whose level is `option`. */
  readonly optionalFailures: number
  /** Whether at least one case passed, and no case other than an `option` failed or depends on one that failed. */
  readonly passed: boolean
}

/** Counts of the results, and the verdict of the run. */
export function summaryOf(results: readonly CaseResult[]): Summary {
  const counts = { pass: 0, fail: 0, 'not-applicable': 0, 'not-run': 0 }
  for (const { status } of results) counts[status] += 1
  const optionalFailures = results.filter(({ status, level }) => status === 'fail' && level === 'option').length
  return { counts, optionalFailures, passed: counts.pass > 0 && !results.some(isAgainstVasp) }
}

/** A failure, or a case that depends on one. */
function isAgainstVasp({ status, level, reason }: CaseResult): boolean {
  if (level === 'option') return false
  return status === 'fail' || (status === 'not-run' && reason.startsWith('depends on '))
}

export interface Outcome {
  /** 0 conforms, 1 does not conform, 2 could not run. */
  readonly exitCode: 0 | 1 | 2
  /** The verdict, and what to do when the kit could not run. */
  readonly text: string
}

/** The verdict of a run, for every report and for the exit code. */
export function outcomeOf({ results, obstacle }: Report): Outcome {
  const { counts, optionalFailures, passed } = summaryOf(results)
  if (obstacle !== undefined) {
    const earlier = counts.fail === 0 ? '' : ` Cases that failed before that: ${counts.fail}.`
    return { exitCode: 2, text: `Could not run. ${obstacle}${earlier}` }
  }
  if (results.some(isAgainstVasp)) return { exitCode: 1, text: 'The VASP does not conform.' }
  if (!passed && counts.fail === 0)
    return {
      exitCode: 2,
      text: 'Could not run. No selected case applies, or an option is missing: see the reasons above.',
    }
  if (optionalFailures === 0) return { exitCode: 0, text: 'The VASP conforms.' }
  const failed = optionalFailures === 1 ? '1 optional case failed' : `${optionalFailures} optional cases failed`
  return { exitCode: 0, text: `The VASP conforms. ${failed}, which the specification allows.` }
}

/** The counts in words. Failures of an `option` are counted separately, because they do not change the verdict. */
export function countsText(results: readonly CaseResult[]): string {
  const { counts, optionalFailures } = summaryOf(results)
  const optional = optionalFailures === 0 ? '' : `, ${optionalFailures} optional failed`
  const failed = counts.fail - optionalFailures
  return `${counts.pass} passed, ${failed} failed${optional}, ${counts['not-applicable']} not applicable, ${counts['not-run']} not run`
}

/** The report as JSON, for programs. */
export function jsonReport(report: Report): string {
  const { exitCode, text } = outcomeOf(report)
  const summary = { ...summaryOf(report.results), exitCode, verdict: text }
  return `${JSON.stringify({ ...report, summary }, null, 2)}\n`
}

/** JUnit XML: a suite for each area. A failed `option` is not a failure there. If the kit could not run, the report has one error. */
export function junitReport(report: Report): string {
  const { results, vasp, startedAt, durationMs } = report
  const { exitCode, text } = outcomeOf(report)
  const errors = exitCode === 2 ? 1 : 0
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
  if (exitCode === 2)
    suites.unshift(
      `  <testsuite name="run" tests="1" failures="0" skipped="0" errors="1" timestamp="${startedAt}">`,
      `    <testcase classname="run" name="the kit runs" time="0"><error message="${escapeXml(text)}"/></testcase>`,
      '  </testsuite>',
    )
  const failures = results.filter(isFailure).length
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="UMA Auth conformance of ${escapeXml(vasp)}" tests="${results.length + errors}" failures="${failures}" errors="${errors}" time="${durationMs / 1000}">`,
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
