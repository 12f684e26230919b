/** Who has to act, in the words of the page. */
export const SIDES = {
  person: 'The person who owns the wallet',
  shop: 'This shop (the app)',
  relay: 'The relay between shop and gateway',
  gateway: 'The gateway',
  wallet: 'The wallet operator (VASP)',
} as const

export type Side = keyof typeof SIDES

/** A failure as the page tells it: the code and message as they came, then what they mean, whose side, what to do. */
export interface Problem {
  readonly code: string
  readonly message: string
  readonly meaning: string
  readonly side: Side
  readonly todo: string
}

/** Thrown where a caller cannot go on; the page shows the problem. */
export class ShopError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message)
  }
}

/** Why a connection attempt failed, in a few words and never with a stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (error.name === 'TimeoutError') return 'no answer in time'
  const cause = error.cause as { code?: unknown; message?: unknown } | undefined
  if (typeof cause?.code === 'string') return cause.code
  // Of a redirect or a port that fetch refuses: its own message is "fetch failed" for each.
  if (typeof cause?.message === 'string') return cause.message
  return error.message === '' ? error.name : error.message
}
