import * as z from 'zod'
import type { ApiEndpoint } from './api.ts'
import type { CommandName } from './commands.ts'
import type { TokenClaims, TokenUse } from './tokens.ts'

/** One command: its input, its call to the backend, and its reply. */
export interface Endpoint extends ApiEndpoint {
  /** Whether its method can move money. */
  readonly pays: boolean
  /** The kinds of token it accepts; the login token opens `/info` only (specification, Authentication 2). */
  readonly accepts: readonly TokenUse[]
  readonly params: z.ZodType | undefined
  readonly query: z.ZodType | undefined
  readonly body: z.ZodType | undefined
  /** Whether its method can move money or create something, and so receives the header `Idempotency-Key`. */
  readonly takesKey: boolean
  /** Whether its request or its reply names a currency of the VASP. */
  readonly namesCurrency: boolean
  /** Headers in the OpenAPI document: of the calls that nothing but a key can tell apart. */
  readonly headers: z.ZodObject | undefined
  readonly reply: z.ZodType
  /** Checks a converted reply. It is `reply`, except that it takes the entries which `fitting` has checked as they are. */
  readonly check: z.ZodType
  /** Converts the parsed request to the input of the backend's method. */
  toInput(request: { readonly params: unknown; readonly query: unknown; readonly body: unknown }): unknown
  /** Converts the method's result to the wire format. `check` checks it before it is sent. */
  toReply(result: unknown, context: ReplyContext): unknown
}

export interface ReplyContext {
  readonly claims: TokenClaims
  /** The commands that the caller may use. */
  readonly commands: readonly CommandName[]
  /** Called for a part of the result that the API cannot express and that the reply leaves out. */
  readonly leftOut: (part: string, why: unknown) => void
}

/** For `check`: a list that `fitting` returned. */
export const FITTED = z.array(z.unknown())

/** The entries that the API can express. One bad entry of a list does not spoil the others. */
export function fitting<Entry, Reply extends z.ZodType>(
  entries: readonly Entry[],
  { leftOut }: ReplyContext,
  given: { readonly reply: Reply; nameOf(entry: Entry): string; convert(entry: Entry): z.input<Reply> },
): z.output<Reply>[] {
  return entries.flatMap((entry) => {
    try {
      return [given.reply.parse(given.convert(entry))]
    } catch (error) {
      leftOut(given.nameOf(entry), error)
      return []
    }
  })
}
