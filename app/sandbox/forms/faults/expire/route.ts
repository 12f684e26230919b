import { z } from 'zod'
import { seeOther } from '@/lib/platform/http/responses'
import { expireConnection, expireQuotes } from '@/lib/sandbox/faults/service'
import { connectionAddress } from '@/lib/web/connection-links'
import { ConnectionField, faultForm, noSuchConnection } from '../fault-form'

/** The form names what expires, so that an absent field never expires more than was shown. */
const Expire = z.union([
  z.object({ connection: ConnectionField, quote: z.string().regex(/^[0-9a-f]{64}$/) }),
  z.object({ connection: ConnectionField, expires: z.literal('connection') }),
])

export const POST = faultForm(Expire, async ({ app, username, fields }) => {
  const { connection } = fields
  if (!('quote' in fields))
    return (await expireConnection(app, username, connection))
      ? seeOther(`${connectionAddress(connection)}?done=connection-expired`)
      : noSuchConnection()
  const expired = await expireQuotes(app, username, connection, fields.quote)
  if (expired === undefined) return noSuchConnection()
  return expired === 0
    ? { field: 'quote', code: 'ended' }
    : seeOther(`${connectionAddress(connection)}?done=quote-expired`)
})
