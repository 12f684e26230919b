/** One SQL text with the name under which the server keeps it prepared. */
export interface Statement<Row = Record<string, unknown>> {
  readonly name: string
  readonly text: string
  /** Only a type, never a value. */
  readonly row?: Row
}

/**
 * A statement that returns rows of the type `Row`, or none at all. Call it at the top level of a module: a test compares
 * the type with the columns of each statement that exists when its module has loaded.
 */
export function statement<Row = never>(name: string, text: string): Statement<Row> {
  return { name, text }
}
