import type { AuditReply } from '@/lib/audit/auditor'
import { ACKNOWLEDGE, isAuditCredential, readPaymentIds } from '@/lib/audit/operator-request'
import { application } from '@/lib/backend/application'
import { epochSeconds } from '@/lib/platform/clock'
import { plainText } from '@/lib/platform/http/responses'
import { withTextErrors } from '@/lib/web/handle-errors'

export const dynamic = 'force-dynamic'

/** Compares totals with the peers and audits everything, for `npm run audit`. The losses in the request are acknowledged first. */
export async function POST(request: Request): Promise<Response> {
  const current = application()
  const header = request.headers.get('authorization')
  const acknowledged = new URL(request.url).searchParams.get(ACKNOWLEDGE) ?? ''
  const now = epochSeconds(current.clock.now())
  if (!isAuditCredential(header, current.settings.nextAuthSecret, now, acknowledged))
    return plainText(401, 'This address requires the secret of the instance: npm run audit sends it.')
  const ids = acknowledged === '' ? [] : readPaymentIds(acknowledged)
  if (ids === undefined) return plainText(400, 'acknowledge takes payment ids, separated by commas.')
  return withTextErrors(current, async () => {
    const done = ids.length > 0 ? { acknowledged: (await current.audit.acknowledge(ids)).map(String) } : {}
    await current.simulatedNode?.totals.compareAll()
    const reply: AuditReply = { ...(await current.audit.run('everything')), ...done }
    return Response.json(reply, { headers: { 'Cache-Control': 'no-store' } })
  })
}
