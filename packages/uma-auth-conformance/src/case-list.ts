import type { ConformanceCase } from './case.ts'
import { areaOf } from './verdict.ts'

/** A line for each case. */
export function caseList(cases: readonly ConformanceCase[]): string {
  return cases.map(({ id, level, title }) => `${id.padEnd(38)} ${level.padEnd(22)} ${title}\n`).join('')
}

/** A case with its source, its dependencies and what to change. */
export function explanation(each: ConformanceCase): string {
  return [
    `${each.id} (${each.level})`,
    `  ${each.title}`,
    '',
    `${each.level === 'must' ? 'Specification' : 'Source'}: ${each.paragraph}`,
    `  ${each.quote}`,
    '',
    'What to change',
    `  ${each.advice}`,
    '',
    `Depends on: ${each.dependsOn?.join(', ') ?? 'nothing'}`,
    `Needs: ${each.needs?.join(', ') ?? 'nothing else'}`,
    '',
  ].join('\n')
}

/** A table for each area, in Markdown. `docs/conformance.md` has it. */
export function caseTables(cases: readonly ConformanceCase[]): string {
  const areas = [...new Set(cases.map(areaOf))]
  return areas
    .map((area) => {
      const rows = cases
        .filter((each) => areaOf(each) === area)
        .map((each) => [`\`${each.id}\``, each.level, each.title])
      return `### ${area}\n\n${markdownTable([['Case', 'Level', 'Requirement'], ...rows])}`
    })
    .join('\n')
}

/** A table as the formatter of this repository writes it. The first row is the head. */
export function markdownTable(rows: readonly (readonly string[])[]): string {
  const cells = rows.map((row) => row.map((cell) => cell.replaceAll('|', '\\|')))
  const widths = (cells[0] ?? []).map((_, column) => Math.max(3, ...cells.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell + ' '.repeat((widths[column] ?? 0) - cell.length)).join(' | ')} |`
  const [head = [], ...body] = cells
  return `${[line(head), `| ${widths.map((width) => '-'.repeat(width)).join(' | ')} |`, ...body.map(line)].join('\n')}\n`
}
