import { z } from 'zod'
import { seeOther } from '@/lib/platform/http/responses'
import { stopFault } from '@/lib/sandbox/faults/service'
import { connectionAddress } from '@/lib/web/connection-links'
import { ConnectionField, faultForm } from '../fault-form'

const Stop = z.object({ connection: ConnectionField, fault: z.string().regex(/^\d{1,18}$/) })

export const POST = faultForm(Stop, async ({ app, username, fields: { connection, fault } }) =>
  (await stopFault(app, username, fault))
    ? seeOther(`${connectionAddress(connection)}?done=fault-stopped`)
    : { field: 'stop', code: 'ended' },
)
