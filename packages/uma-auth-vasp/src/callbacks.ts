import { isRefusal } from './errors.ts'

/**
 * The functions that the bank and the operator pass in. The package calls each of them through this file, so that one rule holds for all:
 *
 * - A function that decides (`ask`) has a time limit, and only the answers that its caller names count. Anything else is an error: it is
 *   logged, answered with 500, and nothing is issued.
 * - A function that is told something (`tell`) can neither change an answer nor end the process, and is not awaited.
 */

/** Compatible with a pino logger. */
export interface Log {
  error(fields: { readonly requestId?: string; readonly err: unknown }, message: string): void
}

/** How long a function that decides may take, unless the operator sets another limit. */
export const DEFAULT_CALLBACK_TIMEOUT_SECONDS = 10

/**
 * Calls a function that decides, and waits for its answer.
 * @param name for the log.
 * @param onLate receives an answer that comes after the limit.
 * @throws what the function throws, when that is a `WalletError`; otherwise an error to log and to answer with 500.
 */
export async function ask<Answer>(
  name: string,
  timeoutSeconds: number,
  call: () => Answer,
  onLate: (answer: Awaited<Answer>) => void = () => undefined,
): Promise<Awaited<Answer>> {
  try {
    const answer = call()
    return isThenable(answer) ? await inTime(name, timeoutSeconds, answer, onLate) : (answer as Awaited<Answer>)
  } catch (error) {
    // Nothing has been paid at this point, so "pending" would be wrong.
    if (isRefusal(error) !== 'pending') throw error
    throw new Error(`${name} threw PaymentPending, which only a method that pays may throw`, { cause: error })
  }
}

/** Calls a function whose answer nobody waits for. @param onFault must not throw. */
export function tell(call: () => unknown, onFault: (error: unknown) => void): void {
  try {
    const answer = call()
    if (isThenable(answer)) Promise.resolve(answer).catch(onFault)
  } catch (error) {
    onFault(error)
  }
}

/** A log that never throws and never rejects. An error that it cannot log goes to the console. */
export function safeLog(given: Log): Log {
  return {
    error(fields, message) {
      tell(
        () => given.error(fields, message),
        () => tell(() => console.error(message, fields), ignore),
      )
    },
  }
}

/** @returns the error for an answer that is none of those that the interface names. */
export function wrongAnswer(name: string, answer: unknown, expected: string): Error {
  const shown =
    typeof answer === 'string' ? JSON.stringify(answer.slice(0, 40)) : answer === null ? 'null' : typeof answer
  return new Error(`${name} answered ${shown} instead of ${expected}`)
}

/** For a synchronous function without a refusal of its own. @throws what it throws, as an error to log and to answer with 500. */
export function read<Answer>(name: string, call: () => Answer): Answer {
  try {
    const answer = call()
    // A promise is a wrong answer here. If it rejects, nobody else would notice.
    if (isThenable(answer)) Promise.resolve(answer).catch(ignore)
    return answer
  } catch (cause) {
    if (cause instanceof Error && isRefusal(cause) === false) throw cause
    throw new Error(`${name} threw something that is no failure of its own`, { cause })
  }
}

/** Ids are claims of tokens and the value of a header. */
const ID = /^[\x21-\x7e]{1,64}$/

/** @throws Error when `newId` throws, or answers no id. */
export function idFrom<Of>(newId: (of: Of) => string, of: Of): string {
  const id: unknown = read('newId', () => newId(of))
  if (typeof id === 'string' && ID.test(id)) return id
  throw wrongAnswer('newId', id, '1 to 64 printable ASCII characters without spaces')
}

/** Without an id from `newId`, the answer is 500 under an id of the package's own. */
export function identify(newId: (of: 'request' | 'token') => string): {
  readonly requestId: string
  readonly fault?: unknown
} {
  try {
    return { requestId: idFrom(newId, 'request') }
  } catch (fault) {
    return { requestId: crypto.randomUUID(), fault }
  }
}

function ignore(): void {
  // There is nowhere left to report this.
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false
  return typeof (value as { then?: unknown }).then === 'function'
}

async function inTime<Answer>(
  name: string,
  timeoutSeconds: number,
  answer: Answer & PromiseLike<unknown>,
  onLate: (answer: Awaited<Answer>) => void,
): Promise<Awaited<Answer>> {
  const pending = Promise.resolve(answer) as Promise<Awaited<Answer>>
  let timer: ReturnType<typeof setTimeout> | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      pending.then(onLate).catch(ignore)
      reject(new Error(`${name} did not answer within ${timeoutSeconds} seconds`))
    }, timeoutSeconds * 1_000)
  })
  try {
    return await Promise.race([pending, limit])
  } finally {
    clearTimeout(timer)
  }
}
