import { z } from 'zod'
import { seeOther } from '@/lib/platform/http/responses'
import { addFault } from '@/lib/sandbox/faults/service'
import { FAULT_KINDS, FAULT_STAGES, mistakesIn } from '@/lib/sandbox/faults/types'
import { connectionAddress } from '@/lib/web/connection-links'
import { ConnectionField, faultForm, noSuchConnection } from '../fault-form'

const Whole = z
  .string()
  .trim()
  .transform((text) => (/^\d{1,6}$/.test(text) ? Number(text) : Number.NaN))

const Add = z
  .object({
    connection: ConnectionField,
    kind: z.enum(FAULT_KINDS),
    when: z.enum(FAULT_STAGES),
    calls: Whole.prefault(''),
    minutes: Whole.prefault(''),
    seconds: Whole.optional(),
  })
  .superRefine((fields, context) => {
    for (const { field, code } of mistakesIn(fields)) context.addIssue({ code: 'custom', path: [field], message: code })
  })

export const POST = faultForm(Add, async ({ app, username, fields: { connection, when, ...fields } }) => {
  const fault = await addFault(app, username, { ...fields, connectionId: connection, stage: when })
  if (fault === 'unknown') return noSuchConnection()
  if (fault === 'many') return { field: 'kind', code: 'many' }
  return seeOther(`${connectionAddress(connection)}?done=fault-added`)
})
