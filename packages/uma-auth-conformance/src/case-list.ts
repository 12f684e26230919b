import type { ConformanceCase } from './case.ts'
import { isCommand, NEEDS, type Need } from './verdict.ts'

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
    `Needs: ${each.needs?.map(needText).join('; ') ?? 'nothing else'}`,
    '',
  ].join('\n')
}

function needText(need: Need): string {
  return isCommand(need) ? `${need}, advertised by the VASP` : NEEDS[need]
}
