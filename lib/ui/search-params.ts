export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** A parameter that is given once; a repeated one counts as absent. */
export function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
