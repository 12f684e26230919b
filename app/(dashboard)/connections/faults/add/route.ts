import { z } from 'zod'
import { addFault } from '@/lib/sandbox/faults/service'
import { FAULT_KINDS, FAULT_LIMITS, FAULT_STAGES, maxSecondsOf } from '@/lib/sandbox/faults/types'
import { seeOther } from '@/lib/platform/http/page-answers'
import { connectionAddress } from '@/lib/ui/connection-links'
import { ConnectionField, faultForm, noSuchConnection } from '../fault-form'

const whole = (max: number) =>
  z
    .string()
    .trim()
    .refine((text) => /^\d{1,6}$/.test(text) && Number(text) >= 1 && Number(text) <= max, 'range')
    .transform(Number)

const Add = z
  .object({
    connection: ConnectionField,
    kind: z.enum(FAULT_KINDS),
    when: z.enum(FAULT_STAGES),
    calls: whole(FAULT_LIMITS.calls).prefault(''),
    minutes: whole(FAULT_LIMITS.minutes).prefault(''),
    seconds: whole(FAULT_LIMITS.retryAfterSeconds).optional(),
  })
  .superRefine(({ kind, seconds }, context) => {
    if (seconds === undefined) return
    const max = maxSecondsOf(kind)
    const message = max === undefined ? 'unexpected' : seconds > max ? 'range' : undefined
    if (message !== undefined) context.addIssue({ code: 'custom', path: ['seconds'], message })
  })

export const POST = faultForm(Add, async ({ app, username, fields: { connection, when, ...fields } }) => {
  const fault = await addFault(app, username, { ...fields, connectionId: connection, stage: when })
  if (fault === 'unknown') return noSuchConnection()
  if (fault === 'many') return { field: 'kind', code: 'many' }
  return seeOther(`${connectionAddress(connection)}?done=fault-added`)
})
