import { AuditRequest, type AuditReply } from '@/lib/audit/auditor'
import { operatorPost } from '../operator-post'

export const dynamic = 'force-dynamic'

/**
 * Compares totals with the peers and audits everything, for `npm run audit`. The losses in the request are acknowledged first. With
 * `whole`, payments that a stored breach stops continue when nothing is found.
 */
export const POST = operatorPost('audit', AuditRequest, async (app, { acknowledge, whole }): Promise<AuditReply> => {
  const done = acknowledge === undefined ? {} : { acknowledged: (await app.audit.acknowledge(acknowledge)).map(String) }
  await app.simulatedNode?.totals.compareAll()
  return { ...(await app.audit.run(whole ? 'whole' : 'everything')), ...done }
})
