import { z } from 'zod'
import { refusal, sandboxAnswer, sandboxPost, unknownCaller } from '@/app/sandbox/sandbox-route'
import { CONNECTION_ID } from '@/lib/connections/queries'
import { addFault, expireConnection, expireQuotes } from '@/lib/sandbox/faults/service'
import {
  FAULT_KINDS,
  FAULT_LIMITS,
  FAULT_RULES,
  FAULT_STAGES,
  isFaultKind,
  mistakesIn,
} from '@/lib/sandbox/faults/types'

/** These take effect at once and do not affect later calls. */
const ENDINGS = ['expire_connection', 'expire_quote'] as const
const isEnding = (kind: string): kind is (typeof ENDINGS)[number] => (ENDINGS as readonly string[]).includes(kind)

const KINDS_WITH_SECONDS = FAULT_KINDS.filter((kind) => FAULT_RULES[kind].seconds !== undefined).join(' and ')

const rule = (code: string, message: string) => ({ params: { code }, message })

/** Which numbers are allowed depends on the kind: `mistakesIn`. */
const Whole = z.number({ error: 'Use a whole number.' })

const Request = z
  .strictObject({
    connection: z
      .string({ error: 'Identify the connection by the jti of its token.' })
      // Text in the database cannot contain NUL.
      .refine((id) => CONNECTION_ID.test(id), rule('invalid', 'Identify the connection by the jti of its token.')),
    kind: z
      .string({ error: `Use one of ${[...FAULT_KINDS, ...ENDINGS].join(', ')}.` })
      .refine(
        (kind) => isFaultKind(kind) || isEnding(kind),
        rule('unknown_kind', `Use one of ${[...FAULT_KINDS, ...ENDINGS].join(', ')}.`),
      ),
    when: z.enum(FAULT_STAGES, { error: 'Use before or after.' }).optional(),
    calls: Whole.optional(),
    minutes: Whole.optional(),
    seconds: Whole.optional(),
    paymentHash: z
      .string({ error: 'Use the payment hash of a quote.' })
      .refine((hash) => /^[0-9a-f]{64}$/.test(hash), rule('invalid', 'Use the payment hash of a quote.'))
      .optional(),
  })
  .superRefine(({ kind, ...fields }, context) => {
    const refuse = (field: string, code: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [field], params: { code }, message })
    for (const field of ['when', 'calls', 'minutes', 'seconds'] as const)
      if (isEnding(kind) && fields[field] !== undefined)
        refuse(field, 'not_for_this_kind', `${kind} takes effect at once and has no ${field}.`)
    if (kind !== 'expire_quote' && fields.paymentHash !== undefined)
      refuse('paymentHash', 'not_for_this_kind', 'Only expire_quote has a paymentHash.')
    if (!isFaultKind(kind)) return
    for (const { field, code, max } of mistakesIn({ kind, ...fields }))
      refuse(
        field,
        code,
        code === 'range' ? `Use a whole number from 1 to ${max}.` : `Only ${KINDS_WITH_SECONDS} have seconds.`,
      )
  })

/** Adds a fault to a connection of the caller, or expires the connection or its quotes. */
export const POST = sandboxPost(Request, async ({ app, caller, fields }) => {
  const username = await caller()
  if (username === undefined) return unknownCaller()
  const { connection, kind, when = 'before', calls = 1, minutes = FAULT_LIMITS.minutes, seconds } = fields
  if (kind === 'expire_connection')
    return (await expireConnection(app, username, connection))
      ? sandboxAnswer(200, { connection, kind, expired: 1 })
      : noSuchConnection()
  if (kind === 'expire_quote') {
    const expired = await expireQuotes(app, username, connection, fields.paymentHash)
    return expired === undefined ? noSuchConnection() : sandboxAnswer(200, { connection, kind, expired })
  }
  const fault = await addFault(app, username, { connectionId: connection, kind, stage: when, calls, minutes, seconds })
  if (fault === 'unknown') return noSuchConnection()
  if (fault === 'many')
    return refusal(
      409,
      'too_many_faults',
      `This connection has ${FAULT_LIMITS.active} active faults. Stop one of them first.`,
    )
  return sandboxAnswer(201, {
    id: fault.id,
    connection,
    kind,
    when: fault.stage,
    callsLeft: fault.callsLeft,
    ...(fault.seconds === null ? {} : { seconds: fault.seconds }),
    expiresAt: fault.expiresAt.toISOString(),
  })
})

function noSuchConnection(): Response {
  return refusal(404, 'not_found', 'You have no such active connection. Nothing was changed.')
}
