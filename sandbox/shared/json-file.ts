import { existsSync, readFileSync, statSync } from 'node:fs'
import type { z } from 'zod'
import { jsonOf } from './json'
import { replaceFile } from './replace-file'

export interface JsonFileRules<Schema extends z.ZodType> {
  /** Of the state. It accepts `{}` as the state of a new file, and fills in what earlier versions did not store. */
  readonly schema: Schema
  /** What the reader of an error does about a file that cannot be read. */
  readonly advice: string
  readonly maxBytes?: number
  /** Drops the least useful part of a state that is too large; false when nothing is left to drop. */
  readonly drop?: (state: z.output<Schema>) => boolean
}

const MAX_BYTES = 64 * 1024 * 1024
/** Earlier versions had no maximum: their larger files are opened too, and made smaller when they are saved. */
const OPENED_ABOVE = 4

/** The state of a program in one JSON file that only this user can read. It is changed in memory, then saved as a whole. */
export class JsonFile<Schema extends z.ZodType> {
  readonly state: z.output<Schema>

  /** @throws Error that names the file when it is too large, not JSON, or not such a state. */
  constructor(
    private readonly path: string,
    private readonly rules: JsonFileRules<Schema>,
  ) {
    this.state = existsSync(path) ? this.read() : rules.schema.parse({})
  }

  /**
   * Replaces the file in one step before it returns. A state above the maximum is made smaller first.
   * @throws Error when the file cannot be written, or nothing more can be dropped; the file then has the state of before.
   */
  save(): void {
    const { maxBytes = MAX_BYTES, drop } = this.rules
    let text = JSON.stringify(this.state)
    while (Buffer.byteLength(text) > maxBytes) {
      if (drop?.(this.state) !== true) throw new Error(`${this.path} would be larger than ${maxBytes} bytes.`)
      text = JSON.stringify(this.state)
    }
    replaceFile(this.path, text)
  }

  private read(): z.output<Schema> {
    const { schema, maxBytes = MAX_BYTES, advice } = this.rules
    const fail = (why: string): Error => new Error(`${this.path} cannot be read: ${why}. ${advice}`)
    const { size } = statSync(this.path)
    if (size > maxBytes * OPENED_ABOVE) throw fail(`it has ${size} bytes, and the maximum is ${maxBytes}`)
    const value = jsonOf(readFileSync(this.path, 'utf8'))
    if (value === undefined) throw fail('it is not JSON')
    const parsed = schema.safeParse(value)
    if (parsed.success) return parsed.data
    throw fail(`${parsed.error.issues[0]?.path.join('.') || 'the file'} is missing or not valid`)
  }
}
