/** A request in the form that autocannon takes. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** A load of callers that each send their next request as soon as they have the answer to the previous one. */
export interface CannonLoad {
  readonly port: number
  readonly callers: number
  /** Number of answers of all callers together. If there are fewer requests than answers, the requests are repeated. */
  readonly amount: number
  readonly requests: readonly HttpRequest[]
  /** The expected status of each answer. */
  readonly expects: number
}

export interface CannonResult {
  readonly latenciesMs: readonly number[]
  readonly seconds: number
  /** Requests without an answer. */
  readonly lost: number
  /** The first answer with another status. */
  readonly odd: string | undefined
}
