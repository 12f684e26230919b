export type SearchParams = Promise<Record<string, string | string[] | undefined>>

/** A parameter given once; repeated ones count as absent. */
export function one(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined
}
