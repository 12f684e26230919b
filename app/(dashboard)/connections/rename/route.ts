import { z } from 'zod'
import { renameConnection } from '@/lib/connections/service'
import { plainText, seeOther } from '@/lib/platform/http/page-answers'
import { personForm } from '@/lib/platform/http/page-route'

/** One line of visible text; control and direction-changing characters would let a name pose as another. */
const Rename = z.object({
  id: z
    .string()
    .min(1)
    .max(64)
    .regex(/^[\x21-\x7e]+$/),
  name: z
    .string()
    .trim()
    .min(1)
    .max(80)
    .regex(/^[^\p{C}\p{Zl}\p{Zp}]+$/u),
})

export const POST = personForm(async ({ deps, username, form }) => {
  const parsed = Rename.safeParse(Object.fromEntries(form))
  if (!parsed.success) return plainText(400, 'A name is one line of 1 to 80 characters. Nothing was changed.')
  const renamed = await renameConnection(deps.db, parsed.data.id, username, parsed.data.name)
  return renamed
    ? seeOther('/connections?done=renamed')
    : plainText(404, 'You have no such connection, so nothing was changed.')
})
