import { sessionOfRequest } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { exportFile } from '@/lib/platform/http/export-file'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { allActivity } from '@/lib/wallets/activity'
import { EXPORT_FORMATS, exportParts } from '@/lib/wallets/activity-export'
import { readActivityQuery } from '@/lib/wallets/activity-filter'
import { withPageErrors } from '@/lib/web/handle-errors'
import { loginAddress } from '@/lib/web/login-address'
import { readTimeZone, startOfDay, UTC } from '@/lib/web/time'

export const dynamic = 'force-dynamic'

const TYPES = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json' }

/** All movements that the filter in the address matches, as a file. */
export function GET(request: Request): Promise<Response> {
  const current = application()
  return withPageErrors(current, request, async () => {
    const session = await sessionOfRequest(current)
    if (session === null) return seeOther(loginAddress('/activity', current.settings.publicOrigin, 'SignedOut'))
    if (session.suspended) return plainText(403, 'This user is suspended. Nothing was exported.')
    const { searchParams } = new URL(request.url)
    const format = EXPORT_FORMATS.find((each) => each === searchParams.get('format'))
    if (format === undefined) return plainText(400, 'The format is neither csv nor json. Nothing was exported.')
    // Without a zone, days are UTC.
    const zone = readTimeZone(searchParams.get('zone') ?? UTC)
    if (zone === undefined) return plainText(400, 'The zone is not the name of a time zone. Nothing was exported.')
    const { filter, errors } = readActivityQuery(Object.fromEntries(searchParams), (day) => startOfDay(day, zone))
    if (Object.keys(errors).length > 0)
      return plainText(400, 'The filter has a mistake. Nothing was exported. Correct it on the page of the activity.')
    const { username } = session
    return exportFile(current.limits, request, {
      username,
      name: `activity-${username}.${format}`,
      type: TYPES[format],
      parts: exportParts(format, allActivity(current.db, username, filter)),
    })
  })
}
