import { ERROR_CODES } from 'uma-auth-vasp'
import { z } from 'zod'
import { jsonOf, objectOf } from '../shared/json'
import { readText } from '../shared/read-text'

/** One call to the VASP, stored for the pages. */
export const Exchange = z.object({
  method: z.enum(['GET', 'POST']),
  url: z.string(),
  requestBody: z.string().nullable(),
  /** 0 when no answer came. */
  status: z.number(),
  body: z.string(),
  ms: z.number(),
  /** When it was sent; absent in exchanges of earlier versions. */
  atMs: z.number().optional(),
})
export type Exchange = Readonly<z.output<typeof Exchange>>

/** The timeout of the public gateway, long enough for slow payments. */
const TIMEOUT_MS = 300_000
/** Room for a hundred transactions with long invoices and descriptions. */
const MAX_BODY_LENGTH = 512 * 1024

/**
 * Calls the VASP with exactly the headers of the public gateway: a JSON content type on GET too, and `User-Agent: NWC`.
 * Never throws: a failed connection is an exchange with status 0.
 */
export async function callVasp(method: 'GET' | 'POST', url: string, token: string, body?: unknown): Promise<Exchange> {
  const requestBody = body === undefined ? null : JSON.stringify(body)
  const startedAt = performance.now()
  const atMs = Date.now()
  const ms = (): number => Math.round(performance.now() - startedAt)
  try {
    const response = await fetch(url, {
      method,
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'User-Agent': 'NWC' },
      ...(requestBody === null ? {} : { body: requestBody }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    return {
      method,
      url,
      requestBody,
      status: response.status,
      body: await readText(response, MAX_BODY_LENGTH),
      ms: ms(),
      atMs,
    }
  } catch (error) {
    return { method, url, requestBody, status: 0, body: describe(error), ms: ms(), atMs }
  }
}

function describe(error: unknown): string {
  const cause = error instanceof Error ? (error.cause as NodeJS.ErrnoException | undefined) : undefined
  if (error instanceof Error && error.name === 'TimeoutError') return `no answer within ${TIMEOUT_MS / 1000} s`
  return cause?.code ?? (error instanceof Error ? error.message : 'the connection failed')
}

const CODES: ReadonlySet<string> = new Set(ERROR_CODES)

export interface AppError {
  readonly code: string
  readonly message: string
}

/**
 * The error that an app receives over NWC for a failed call; undefined for a successful one. The mapping is that of
 * the public gateway.
 */
export function errorForApp(exchange: Exchange): AppError | undefined {
  if (exchange.status === 0) return { code: 'INTERNAL', message: `The VASP did not answer: ${exchange.body}` }
  if (exchange.status < 400) return undefined
  const known = readErrorBody(exchange.body)
  if (known !== undefined) return known
  const code = exchange.status === 429 ? 'RATE_LIMITED' : exchange.status === 404 ? 'NOT_FOUND' : 'OTHER'
  return { code, message: exchange.body }
}

function readErrorBody(body: string): AppError | undefined {
  const { code, message } = objectOf(jsonOf(body)) ?? {}
  return typeof code === 'string' && CODES.has(code) && typeof message === 'string' ? { code, message } : undefined
}

/** The JSON object of a successful answer; undefined for any other answer. */
export function answerOf({ status, body }: Exchange): Record<string, unknown> | undefined {
  return status >= 200 && status < 300 ? objectOf(jsonOf(body)) : undefined
}
