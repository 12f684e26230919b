import { z } from 'zod'
import { answerOf, errorForApp, type Exchange } from './vasp-client'

/** The answer to an app: a result, or one of the ten codes with a message. */
export const Outcome = z.union([
  z.object({ result: z.record(z.string(), z.unknown()) }),
  z.object({ error: z.object({ code: z.string(), message: z.string() }) }),
])
export type Outcome = z.output<typeof Outcome>

export function failure(code: string, message: string): Outcome {
  return { error: { code, message } }
}

/** Parses the VASP's answer with the schema of the command, and maps errors as the public gateway does. */
export function outcomeOf(exchange: Exchange, reply: z.ZodType<Record<string, unknown>>): Outcome {
  const error = errorForApp(exchange)
  if (error !== undefined) return { error }
  const body = answerOf(exchange)
  if (body === undefined) return failure('INTERNAL', 'The VASP answered, but not with JSON.')
  const parsed = reply.safeParse(body)
  if (parsed.success) return { result: parsed.data }
  const member = parsed.error.issues[0]?.path.join('.') ?? ''
  return failure(
    'OTHER',
    `The VASP's answer is not valid: ${member} is missing or has a wrong value. Tell its operator.`,
  )
}
