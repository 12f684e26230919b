import { z } from 'zod'

/** Settings that the sample shop and the gateway simulator have in the same form. */
export const port = z.coerce.number().int().min(1).max(65_535)
export const webUrl = z.url({ protocol: /^https?$/ })
export const relay = z.url({ protocol: /^wss?$/ }).default('ws://localhost:7447')

/** @throws Error with one line that names the variable, and the file that describes it. */
export function readEnvironment<Schema extends z.ZodType>(
  schema: Schema,
  env: Readonly<Record<string, string | undefined>>,
  describedIn: string,
): z.output<Schema> {
  const parsed = schema.safeParse(env)
  if (parsed.success) return parsed.data
  throw new Error(`${String(parsed.error.issues[0]?.path[0])} is missing or not valid: see ${describedIn}.`)
}
