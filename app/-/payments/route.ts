import { isOperatorCredential } from '@/lib/audit/operator-request'
import { application } from '@/lib/backend/application'
import { operate, OperatorRequest } from '@/lib/payments/operator'
import { epochSeconds } from '@/lib/platform/clock'
import { readBody } from '@/lib/platform/http/read-body'
import { plainText } from '@/lib/platform/http/responses'
import { parseJson } from '@/lib/platform/parse-json'
import { withTextErrors } from '@/lib/web/handle-errors'

export const dynamic = 'force-dynamic'

/** The operator's commands for payments. `npm run payments` calls it and signs with the instance's secret. */
export async function POST(request: Request): Promise<Response> {
  const current = application()
  const { settings, clock, db, log, events, node, simulatedNode } = current
  return withTextErrors(current, async () => {
    const body = await readBody(request)
    const header = request.headers.get('authorization')
    if (!isOperatorCredential(header, settings.nextAuthSecret, epochSeconds(clock.now()), body))
      return plainText(401, 'This address requires the secret of the instance: npm run payments sends it.')
    const parsed = OperatorRequest.safeParse(parseJson(body))
    if (!parsed.success) return plainText(400, 'The request is not valid.')
    const reply = await operate(
      { db, log, events, accounts: node.accounts, totals: simulatedNode?.totals },
      parsed.data,
    )
    return Response.json(reply, { headers: { 'Cache-Control': 'no-store' } })
  })
}
