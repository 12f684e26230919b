import { z } from 'zod'
import { optional } from './unset'

const wholeMsats = z.int().nonnegative()
const Terms = z.object({
  amount: optional(z.int().positive()),
  currencyCode: z.string().max(8),
  multiplier: z.number(),
  decimals: z.number(),
  fee: wholeMsats,
})
const OldTerms = Terms.omit({ amount: true, fee: true }).extend({ exchangeFeesMillisatoshi: wholeMsats })
const Compliance = z.object({
  utxoCallback: optional(z.string().max(2_048)),
  signature: optional(z.string().max(200)),
  signatureNonce: optional(z.string().max(64)),
  signatureTimestamp: optional(z.number()),
})
const PayeeData = z.looseObject({ compliance: optional(Compliance) })

const Message = z.object({
  pr: z.string().max(2_000),
  payeeData: optional(PayeeData),
  converted: optional(Terms),
  paymentInfo: optional(OldTerms),
  compliance: optional(Compliance),
  successAction: z.unknown().optional(),
})

/**
 * Another VASP's answer to a pay request (UMAD-06), in one form for both versions. Its values are not checked yet.
 */
export interface PayAnswer {
  readonly pr: string
  readonly terms: AnsweredTerms | undefined
  readonly compliance: z.infer<typeof Compliance> | undefined
  /** As received (LUD-09). */
  readonly successAction: unknown
}

export interface AnsweredTerms {
  /** Smallest units; undefined when the answer does not state them, as in version 0. */
  readonly units: bigint | undefined
  readonly code: string
  readonly multiplier: number
  readonly decimals: number
  readonly feeMsats: bigint
}

/** Undefined for JSON that is not a pay answer. */
export function readPayAnswer(json: unknown): PayAnswer | undefined {
  const message = Message.safeParse(json).data
  if (message === undefined) return undefined
  const { pr, payeeData, converted, paymentInfo, successAction } = message
  const compliance = payeeData?.compliance ?? message.compliance ?? undefined
  return { pr, terms: termsOf(converted, paymentInfo), compliance, successAction }
}

function termsOf(
  converted: z.infer<typeof Terms> | null | undefined,
  old: z.infer<typeof OldTerms> | null | undefined,
): AnsweredTerms | undefined {
  const terms = converted ?? old
  if (terms == null) return undefined
  const { currencyCode: code, multiplier, decimals } = terms
  const feeMsats = BigInt('fee' in terms ? terms.fee : terms.exchangeFeesMillisatoshi)
  const units = 'amount' in terms && terms.amount != null ? BigInt(terms.amount) : undefined
  return { units, code, multiplier, decimals, feeMsats }
}
