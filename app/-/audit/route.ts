import { isAuditCredential } from '@/lib/audit/ask'
import { epochSeconds } from '@/lib/clock'
import { deps } from '@/lib/deps'
import { plainText } from '@/lib/http/page-answers'
import { answerErrors } from '@/lib/http/page-route'

export const dynamic = 'force-dynamic'

/** A full audit for `npm run audit`, which knows the instance's secret. */
export async function POST(request: Request): Promise<Response> {
  const current = deps()
  const header = request.headers.get('authorization')
  if (!isAuditCredential(header, current.settings.nextAuthSecret, epochSeconds(current.clock.now())))
    return plainText(401, 'This needs the secret of the instance: npm run audit sends it.')
  return answerErrors(current, async () =>
    Response.json(await current.audit.run('everything'), { headers: { 'Cache-Control': 'no-store' } }),
  )
}
