import type { z } from 'zod'
import type { Reply } from './http.ts'
import { ErrorModel, writtenAsFloat } from './models.ts'
import { Failure } from './verdict.ts'

/** @throws Failure with the reason when the condition does not hold. */
export function check(condition: boolean, reason: string): asserts condition {
  if (!condition) throw new Failure(reason)
}

/** @throws Failure when a value differs from the wanted one. */
export function checkIs(name: string, value: unknown, wanted: unknown): void {
  check(value === wanted, `${name} is ${show(value)} instead of ${show(wanted)}.`)
}

/** A value as JSON, shortened, or that it is missing: for the reason of a failure. */
export function show(value: unknown): string {
  const text = value === undefined ? 'missing' : typeof value === 'bigint' ? String(value) : JSON.stringify(value)
  return text.length <= 120 ? text : `${text.slice(0, 120)}…`
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The JSON object of a reply; an empty one for any other body. */
export function fieldsOf({ json }: Reply): Readonly<Record<string, unknown>> {
  return isRecord(json) ? json : {}
}

export function checkStatus(reply: Reply, status: number | readonly number[], what: string): void {
  const wanted = [status].flat()
  check(wanted.includes(reply.status), `${what} answered ${reply.status} instead of ${wanted.join(' or ')}.`)
}

/** A success: any 2xx status with a JSON object. @returns the object. */
export function checkSuccess(reply: Reply, what: string): Readonly<Record<string, unknown>> {
  check(reply.status >= 200 && reply.status < 300, `${what} answered ${reply.status} instead of 200.`)
  check(isRecord(reply.json), `${what} answered ${reply.status} with a body that is not a JSON object.`)
  return reply.json
}

/** @returns the reply, parsed with the gateway's model. */
export function checkModel<Model extends z.ZodType>(reply: Reply, model: Model, what: string): z.output<Model> {
  checkSuccess(reply, what)
  const parsed = model.safeParse(reply.json)
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path, message }) => `${path.join('.') || 'the object'}: ${message}`)
    throw new Failure(`The gateway cannot read the answer to ${what}: ${faults.slice(0, 3).join('; ')}.`)
  }
  const float = writtenAsFloat(reply.text)
  check(float === undefined, `The gateway cannot read the answer to ${what}: ${float}.`)
  return parsed.data
}

/** A refusal that the gateway passes on with its code: 4xx or 501 and `{code, message}`. */
export function checkRefusal(reply: Reply, what: string, codes?: readonly string[]): void {
  checkRefused(reply, what)
  const parsed = ErrorModel.safeParse(reply.json)
  check(
    parsed.success,
    `${what} answered ${reply.status} with a body that is not {"code", "message"}: ${show(reply.json ?? reply.text)}.`,
  )
  if (codes !== undefined)
    check(
      codes.includes(parsed.data.code),
      `${what} answered with the code ${parsed.data.code} instead of ${codes.join(' or ')}.`,
    )
}

/** A refusal with any body: the request was wrong, so the status is 4xx and not 5xx. */
export function checkRefused(reply: Reply, what: string): void {
  check(reply.status >= 400, `${what} answered ${reply.status}, so the request was accepted.`)
  check(
    reply.status < 500 || reply.status === 501,
    `${what} answered ${reply.status}: the request was wrong, not the VASP.`,
  )
}
