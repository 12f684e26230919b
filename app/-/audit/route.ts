import { AuditRequest, type AuditReply } from '@/lib/audit/auditor'
import { operatorPost } from '../operator-post'

export const dynamic = 'force-dynamic'

/** Compares totals with the peers and audits everything, for `npm run audit`. The losses in the request are acknowledged first. */
export const POST = operatorPost('audit', AuditRequest, async (app, { acknowledge }): Promise<AuditReply> => {
  const done = acknowledge === undefined ? {} : { acknowledged: (await app.audit.acknowledge(acknowledge)).map(String) }
  await app.simulatedNode?.totals.compareAll()
  return { ...(await app.audit.run('everything')), ...done }
})
