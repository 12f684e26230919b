export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** The value of a parameter that is given once; an empty or repeated parameter counts as absent. */
export function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
