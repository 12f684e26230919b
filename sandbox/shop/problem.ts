import { z } from 'zod'

/** Who has to act, as the page names them. */
export const SIDES = {
  person: 'The wallet owner',
  shop: 'This shop (the app)',
  relay: 'The relay between shop and gateway',
  gateway: 'The gateway',
  wallet: 'The wallet operator (VASP)',
  recipient: 'The recipient, or their provider',
  injected: 'No one: the sandbox injected this fault on purpose',
} as const

export type Side = keyof typeof SIDES

/** A failure for the page: the received code and message, then the meaning, the side at fault, and what to do. */
export const Problem = z.object({
  code: z.string(),
  message: z.string(),
  meaning: z.string(),
  side: z.enum(Object.keys(SIDES) as [Side, ...Side[]]),
  todo: z.string(),
})
export type Problem = Readonly<z.output<typeof Problem>>

/** Thrown when a request cannot continue; the page shows the problem. */
export class ShopError extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message)
  }
}

/** The reason of a failed connection attempt, in a few words and without a stack. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection failed'
  if (error.name === 'TimeoutError') return 'no answer in time'
  const cause = error.cause as { code?: unknown; message?: unknown } | undefined
  if (typeof cause?.code === 'string') return cause.code
  // When fetch refuses a redirect or a port, the error's own message is only "fetch failed".
  if (typeof cause?.message === 'string') return cause.message
  return error.message === '' ? error.name : error.message
}
