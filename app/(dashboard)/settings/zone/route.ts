import { z } from 'zod'
import { chooseTimeZone } from '@/lib/accounts/users'
import { seeOther } from '@/lib/platform/http/responses'
import { userForm } from '@/lib/web/form-handler'
import { readTimeZone } from '@/lib/web/time'

/** A blank zone is that of the browser. */
const TimeZone = z.object({ zone: z.string().trim().default('') })

export const POST = userForm(
  TimeZone,
  async ({ app, username, fields: { zone: typed } }) => {
    const zone = typed === '' ? null : readTimeZone(typed)
    if (zone === undefined) return { field: 'zone', code: 'unknown' }
    await chooseTimeZone(app.db, username, zone)
    return seeOther('/settings?done=zone')
  },
  '/settings',
)
