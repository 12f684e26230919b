import { hasSandboxTools } from '@/app/has-sandbox-tools'
import { sessionOfRequest } from '@/lib/accounts/sessions/current-user'
import { application } from '@/lib/backend/application'
import { eventReaderOf } from '@/lib/events/queries'
import { exportFile } from '@/lib/platform/http/export-file'
import { plainText, seeOther } from '@/lib/platform/http/responses'
import { jsonArray } from '@/lib/platform/http/text-stream'
import { exportedEvents } from '@/lib/sandbox/wire/export'
import { readWireQuery, toFilter } from '@/lib/sandbox/wire/filter'
import { withPageErrors } from '@/lib/web/handle-errors'
import { loginAddress } from '@/lib/web/login-address'

export const dynamic = 'force-dynamic'

/** All events of the signed-in user that the filter in the address matches, as a JSON file. */
export function GET(request: Request): Promise<Response> {
  const current = application()
  return withPageErrors(current, request, async () => {
    const { settings, db } = current
    if (!(await hasSandboxTools(current))) return plainText(404, 'There is no export of events here.')
    const session = await sessionOfRequest(current)
    if (session === null) return seeOther(loginAddress('/developers/wire', settings.publicOrigin, 'SignedOut'))
    if (session.suspended) return plainText(403, 'This user is suspended. Nothing was exported.')
    const query = readWireQuery(Object.fromEntries(new URL(request.url).searchParams))
    const { kind, ...filter } = toFilter(query)
    const events = exportedEvents(db, eventReaderOf(settings, session.username), {
      ...filter,
      kinds: kind === undefined ? undefined : [kind],
      beforeId: query.before,
    })
    return exportFile(current.limits, request, {
      username: session.username,
      name: `wire-${session.username}.json`,
      type: 'application/json',
      parts: jsonArray(events),
    })
  })
}
