import { operate, OperatorRequest } from '@/lib/payments/operator'
import { operatorPost } from '../operator-post'

export const dynamic = 'force-dynamic'

/** The operator's commands for payments. `npm run payments` calls it. */
export const POST = operatorPost('payments', OperatorRequest, ({ db, log, events, node, simulatedNode }, request) =>
  operate(
    { db, log, events, accounts: node.accounts, isStranded: node.isStranded, totals: simulatedNode?.totals },
    request,
  ),
)
