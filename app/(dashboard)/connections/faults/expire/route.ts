import { z } from 'zod'
import { expireConnection, expireQuotes } from '@/lib/faults/service'
import { seeOther } from '@/lib/platform/http/page-answers'
import { connectionAddress } from '@/lib/ui/connection-links'
import { ConnectionField, faultForm, noSuchConnection } from '../fault-form'

const Expire = z.object({
  connection: ConnectionField,
  /** The payment hash of a quote. Without one the connection itself expires. */
  quote: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .optional(),
})

export const POST = faultForm(Expire, async ({ app, username, fields: { connection, quote } }) => {
  if (quote === undefined)
    return (await expireConnection(app, username, connection))
      ? seeOther(`${connectionAddress(connection)}?done=connection-expired`)
      : noSuchConnection()
  const expired = await expireQuotes(app, username, connection, quote)
  if (expired === undefined) return noSuchConnection()
  return expired === 0
    ? { field: 'quote', code: 'ended' }
    : seeOther(`${connectionAddress(connection)}?done=quote-expired`)
})
