/** One request as autocannon takes it. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** Callers that each send the next request as soon as they have the answer to the one before. */
export interface CannonLoad {
  readonly port: number
  readonly callers: number
  /** Answers of all callers together. The requests are repeated when there are fewer. */
  readonly amount: number
  readonly requests: readonly HttpRequest[]
  /** The status of each answer. */
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
