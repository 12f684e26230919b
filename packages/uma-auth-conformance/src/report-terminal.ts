import type { ConformanceCase } from './case.ts'
import { areaOf, type CaseResult, type Status } from './verdict.ts'
import { summaryOf } from './report.ts'
import type { Report } from './runner.ts'

const MARKS: Readonly<Record<Status, string>> = {
  pass: 'ok  ',
  fail: 'FAIL',
  'not-applicable': 'n/a ',
  'not-run': 'skip',
}
const COLOURS: Readonly<Record<Status, number>> = { pass: 32, fail: 31, 'not-applicable': 90, 'not-run': 33 }

export interface Terminal {
  readonly write: (text: string) => void
  readonly colours: boolean
}

/** One line for a result: mark, id, level, and the reason or the title. */
export function resultLine({ id, level, status, title, reason }: CaseResult, { colours }: Terminal): string {
  const mark = colours ? `\u001B[${COLOURS[status]}m${MARKS[status]}\u001B[0m` : MARKS[status]
  return `${mark} ${id.padEnd(38)} ${level.padEnd(22)} ${status === 'pass' ? title : reason}\n`
}

/** The head of an area before its first result. */
export function areaLine(result: CaseResult, done: number, total: number): string {
  return `\n${areaOf(result)} (${done} of ${total})\n`
}

/** Failures with what to change, and the counts. */
export function closing({ results, durationMs }: Report, cases: readonly ConformanceCase[]): string {
  const { counts, passed } = summaryOf(results)
  const failures = results
    .filter(({ status }) => status === 'fail')
    .map((result) =>
      failureText(
        result,
        cases.find(({ id }) => id === result.id),
      ),
    )
  return [
    ...failures,
    '',
    `${counts.pass} passed, ${counts.fail} failed, ${counts['not-applicable']} not applicable, ${counts['not-run']} not run, in ${Math.round(durationMs / 1000)} seconds.`,
    passed ? 'The VASP conforms.' : 'The VASP does not conform.',
    '',
  ].join('\n')
}

function failureText(
  { id, level, title, reason, exchanges }: CaseResult,
  definition: ConformanceCase | undefined,
): string {
  const last = exchanges.at(-1)
  const lines = [
    '',
    `FAIL ${id} (${level}): ${title}`,
    `     ${reason}`,
    ...(definition === undefined
      ? []
      : [`     ${definition.paragraph}: ${definition.quote}`, `     What to change: ${definition.advice}`]),
    ...(last === undefined ? [] : [indented(`${last.request}\n${last.response}`)]),
  ]
  return lines.join('\n')
}

function indented(text: string): string {
  return text
    .split('\n')
    .slice(0, 30)
    .map((line) => `       | ${line.slice(0, 160)}`)
    .join('\n')
}
