import { commaText, type AmountProblem } from '@/lib/money/format'
import type { ErrorTexts } from '@/lib/web/form-errors'

/**
 * The texts of a field whose comma was refused, beside the form's own text for an invalid amount. The two readings are
 * those of the typed text, which the form's address brings back.
 */
export function commaErrors(field: string, typed: string | undefined, outcome: string): ErrorTexts {
  const text = (problem: Exclude<AmountProblem, 'invalid'>): string =>
    `${commaText(problem, typed ?? '')} ${outcome}`.trim()
  return { [`${field}.comma`]: text('comma'), [`${field}.ambiguous`]: text('ambiguous') }
}
