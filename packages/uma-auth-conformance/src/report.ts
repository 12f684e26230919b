import type { Report } from './runner.ts'
import { areaOf, LEVELS, type CaseResult, type FailOn, type Level, type Status } from './verdict.ts'

export interface Summary {
  readonly counts: Readonly<Record<Status, number>>
  /** Number of failed cases by their level. */
  readonly failures: Readonly<Record<Level, number>>
  /** Whether at least one case passed, and no case that counts failed or depends on one that failed. */
  readonly passed: boolean
}

type Judged = Pick<Report, 'results' | 'failOn'>

/** Counts of the results, and the verdict of the run. */
export function summaryOf({ results, failOn }: Judged): Summary {
  const counts = { pass: 0, fail: 0, 'not-applicable': 0, 'not-run': 0 }
  const failures = { must: 0, 'gateway-compatibility': 0, should: 0, option: 0 }
  for (const { status, level } of results) {
    counts[status] += 1
    if (status === 'fail') failures[level] += 1
  }
  return { counts, failures, passed: counts.pass > 0 && !results.some((result) => isAgainstVasp(result, failOn)) }
}

/** Whether a failure at this level means that the VASP does not conform. */
function isCounted(level: Level, failOn: FailOn): boolean {
  return level === 'must' || level === 'gateway-compatibility' || (level === 'should' && failOn === 'should')
}

/** A failure that counts, or a case that depends on one that failed. */
function isAgainstVasp({ status, level, reason }: CaseResult, failOn: FailOn): boolean {
  if (!isCounted(level, failOn)) return false
  return status === 'fail' || (status === 'not-run' && reason.startsWith('depends on '))
}

export interface Outcome {
  /** 0 conforms, 1 does not conform, 2 could not run. */
  readonly exitCode: 0 | 1 | 2
  /** The verdict, and what to do when the kit could not run. */
  readonly text: string
}

/** The verdict of a run, for every report and for the exit code. */
export function outcomeOf(report: Judged & Pick<Report, 'obstacle'>): Outcome {
  const { results, failOn, obstacle } = report
  const { counts, failures, passed } = summaryOf(report)
  if (obstacle !== undefined) {
    const earlier = counts.fail === 0 ? '' : ` Cases that failed before that: ${counts.fail}.`
    return { exitCode: 2, text: `Could not run. ${obstacle}${earlier}` }
  }
  const failed = LEVELS.filter((level) => failures[level] > 0).map((level) => `${failures[level]} ${level}`)
  const list = failed.length === 0 ? '' : ` Failed: ${failed.join(', ')}.`
  if (results.some((result) => isAgainstVasp(result, failOn)))
    return { exitCode: 1, text: `The VASP does not conform.${list}` }
  if (!passed && counts.fail === 0)
    return {
      exitCode: 2,
      text: 'Could not run. No selected case applies, or an option is missing: see the reasons above.',
    }
  const allowed = list === '' ? '' : `${list} These levels do not change the verdict (--fail-on ${failOn}).`
  return { exitCode: 0, text: `The VASP conforms.${allowed}` }
}

/** The counts in words: failed cases of the levels that count, and apart from them good practice and options. */
export function countsText(report: Judged): string {
  const { counts, failures } = summaryOf(report)
  const failed = failures.must + failures['gateway-compatibility']
  const apart = [
    `${failed} must failed`,
    ...(failures.should === 0 ? [] : [`${failures.should} should failed`]),
    ...(failures.option === 0 ? [] : [`${failures.option} optional failed`]),
  ]
  return `${counts.pass} passed, ${apart.join(', ')}, ${counts['not-applicable']} not applicable, ${counts['not-run']} not run`
}

/** The report as JSON, for programs. */
export function jsonReport(report: Report): string {
  const { exitCode, text } = outcomeOf(report)
  const summary = { ...summaryOf(report), exitCode, verdict: text }
  return `${JSON.stringify({ ...report, summary }, null, 2)}\n`
}

/** JUnit XML: a suite for each area. A failed case whose level does not count is skipped there. If the kit could not run, the report has one error. */
export function junitReport(report: Report): string {
  const { results, failOn, vasp, startedAt, durationMs } = report
  const isFailure = ({ status, level }: CaseResult): boolean => status === 'fail' && isCounted(level, failOn)
  const { exitCode, text } = outcomeOf(report)
  const errors = exitCode === 2 ? 1 : 0
  const areas = [...new Set(results.map(areaOf))]
  const suites = areas.map((area) => {
    const cases = results.filter((result) => areaOf(result) === area)
    const failures = cases.filter(isFailure).length
    const skipped = cases.filter((each) => each.status !== 'pass' && !isFailure(each)).length
    return [
      `  <testsuite name="${escapeXml(area)}" tests="${cases.length}" failures="${failures}" skipped="${skipped}" errors="0" timestamp="${startedAt}">`,
      ...cases.map((result) => testcase(result, isFailure(result))),
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

function testcase(result: CaseResult, isFailure: boolean): string {
  const { id, level, title, status, reason, durationMs, exchanges } = result
  const open = `    <testcase classname="${escapeXml(areaOf(result))}" name="${escapeXml(`${id}: ${title}`)}" time="${durationMs / 1000}"`
  if (status === 'pass') return `${open}/>`
  const log = exchanges.map(({ request, response }) => `${request}\n\n${response}`).join('\n\n---\n\n')
  const inner = isFailure
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
