import { setText } from './form-fields'

export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** The value of a parameter of a page's address. A blank or repeated parameter counts as absent, as in a form. */
export function singleParam(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? setText(value) : undefined
}
