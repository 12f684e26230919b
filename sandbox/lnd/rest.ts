import { request } from 'node:https'
import { text as readText } from 'node:stream/consumers'
import { z } from 'zod'
import { jsonOf } from '../shared/json'

/** A server with its own certificate, and what every call to it carries. */
export interface RestServer {
  readonly url: string
  /** PEM. */
  readonly ca: string
  readonly headers: Readonly<Record<string, string>>
}

/** An answer other than 200, with the server's own sentence. */
export class RestError extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message)
  }
}

const PATIENCE_MS = 60_000
const SHOWN_CHARACTERS = 200
/** LND names the message at the top, btcd below. */
const Failure = z.object({ message: z.string().optional(), error: z.object({ message: z.string() }).nullish() })

/**
 * One call with a JSON body, or none for a GET.
 * @throws RestError for an answer other than 200; Error where there is no answer.
 */
export async function callRest(
  { url, ca, headers }: RestServer,
  path: string,
  body?: unknown,
  method = body === undefined ? 'GET' : 'POST',
): Promise<unknown> {
  const { status, text } = await new Promise<{ status: number; text: string }>((resolve, reject) => {
    // Its own connection: a kept one breaks when the server restarts.
    const options = { method, ca, headers, agent: false, signal: AbortSignal.timeout(PATIENCE_MS) }
    const call = request(new URL(path, url), options, (response) => {
      readText(response).then((received) => resolve({ status: response.statusCode ?? 0, text: received }), reject)
    })
    call.on('error', reject)
    call.end(body === undefined ? undefined : JSON.stringify(body))
  })
  const answer = jsonOf(text)
  if (status === 200) return answer
  const { message, error } = Failure.safeParse(answer).data ?? {}
  throw new RestError(status, message ?? error?.message ?? text.slice(0, SHOWN_CHARACTERS))
}
