import { existsSync, readFileSync } from 'node:fs'
import type { z } from 'zod'
import { jsonOf } from './json'
import { replaceFile } from './replace-file'

/**
 * The state of a program in one JSON file that only this user can read. It is changed in memory, then saved as a whole.
 * The program bounds the number and the length of what it stores.
 */
export class JsonFile<Schema extends z.ZodType> {
  readonly state: z.output<Schema>

  /**
   * @param schema accepts `{}` as the state of a new file, and fills in what earlier versions did not store.
   * @param advice what the reader of an error does about a file that cannot be read.
   * @throws Error that names the file when it is not JSON, or not such a state.
   */
  constructor(
    private readonly path: string,
    private readonly schema: Schema,
    private readonly advice: string,
  ) {
    this.state = existsSync(path) ? this.read() : schema.parse({})
  }

  /**
   * Replaces the file in one step before it returns.
   * @throws Error when the file cannot be written; it then has the state of before.
   */
  save(): void {
    replaceFile(this.path, JSON.stringify(this.state))
  }

  private read(): z.output<Schema> {
    const fail = (why: string): Error => new Error(`${this.path} cannot be read: ${why}. ${this.advice}`)
    const value = jsonOf(readFileSync(this.path, 'utf8'))
    if (value === undefined) throw fail('it is not JSON')
    const parsed = this.schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw fail(`${parsed.error.issues[0]?.path.join('.') || 'the file'} is missing or not valid`)
  }
}
