import type { ConformanceCase } from './case.ts'
import { countsText, outcomeOf } from './report.ts'
import type { Report } from './runner.ts'
import { areaOf, type CaseResult, type Level, type Status } from './verdict.ts'

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

export interface ProgressWriter {
  readonly add: (result: CaseResult, done: number, total: number) => void
  /** Writes the results that were held back. */
  readonly end: () => void
}

/** Writes results as they arrive: a heading for each area, and one line for successive cases that are left out for the same reason. */
export function progressWriter(terminal: Terminal): ProgressWriter {
  let area = ''
  let leftOut: CaseResult[] = []
  function end(): void {
    const [first] = leftOut
    if (first !== undefined && leftOut.length === 1) terminal.write(resultLine(first, terminal))
    else if (first !== undefined)
      terminal.write(`${markOf(first.status, terminal)} ${leftOut.length} cases: ${first.reason}\n`)
    leftOut = []
  }
  return {
    end,
    add(result, done, total) {
      const [first] = leftOut
      const isNewArea = areaOf(result) !== area
      if (isNewArea || first?.status !== result.status || first.reason !== result.reason) end()
      if (isNewArea) terminal.write(`\n${areaOf(result)} (${done} of ${total})\n`)
      area = areaOf(result)
      if (result.status === 'pass' || result.status === 'fail') terminal.write(resultLine(result, terminal))
      else leftOut.push(result)
    },
  }
}

/** Mark, id, level, and the reason or the title. */
function resultLine({ id, level, status, title, reason }: CaseResult, terminal: Terminal): string {
  return `${markOf(status, terminal, level)} ${id.padEnd(38)} ${level.padEnd(22)} ${status === 'pass' ? title : reason}\n`
}

/** A failed `option` is marked as a note, because it does not change the verdict. */
function markOf(status: Status, { colours }: Terminal, level?: Level): string {
  const isOptional = status === 'fail' && level === 'option'
  const mark = isOptional ? 'note' : MARKS[status]
  return colours ? `\u001B[${isOptional ? 33 : COLOURS[status]}m${mark}\u001B[0m` : mark
}

/** Failures with what to change, and the counts. */
export function closing(report: Report, cases: readonly ConformanceCase[]): string {
  const { results, durationMs } = report
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
    `${countsText(report)}, in ${Math.round(durationMs / 1000)} seconds.`,
    outcomeOf(report).text,
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
    `${level === 'option' ? 'note' : 'FAIL'} ${id} (${level}): ${title}`,
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
