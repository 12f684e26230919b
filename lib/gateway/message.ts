/**
 * What the API reads of a request: a `Request` of the web has all of it, and so has one of node:http with little around it.
 * Making whole objects of the web for each call took a third of the time of the cheapest.
 */
export interface ApiRequest {
  readonly method: string
  /** Absolute; only its path and its query are read. */
  readonly url: string
  /** A header that is given twice comes joined by a comma. */
  readonly headers: { get(name: string): string | null }
  readonly body: AsyncIterable<Uint8Array> | null
}

export interface ApiAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** JSON. */
  readonly text: string
}

export function toResponse({ status, headers, text }: ApiAnswer): Response {
  return new Response(text, { status, headers })
}
