import { z } from 'zod'
import { sandboxForm } from '@/app/sandbox/sandbox-form'
import { MAX_PASTED_BYTES, showToken, tokenError } from '../../../../(dashboard)/developers/token/shown-token'

const Inspect = z.object({ token: z.string().default('') })

/** Users often paste the whole header line. */
const withoutScheme = (text: string): string => text.trim().replace(/^(?:Authorization:\s*)?Bearer\s+/i, '')

export const POST = sandboxForm(Inspect, async ({ app, username, fields }) => {
  const token = withoutScheme(fields.token)
  if (token === '') return tokenError('token.missing')
  if (Buffer.byteLength(JSON.stringify(token)) > MAX_PASTED_BYTES) return tokenError('token.long')
  return showToken(app, username, { token })
})
