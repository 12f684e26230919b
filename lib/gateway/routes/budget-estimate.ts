import { MAX_WIRE_INTEGER, convert, toWireInteger } from '../../money/convert'
import { badInput } from '../../errors'
import { commandRoute } from '../route'
import { BudgetEstimateQuery, BudgetEstimateReply } from '../schemas'

/**
 * `GET /budget_estimate`: what an amount costs in the budget's currency. Any pair, bitcoin included, because gateways
 * also ask for a whole fiat budget in SAT. Rounded up, so that the hold covers it and is never zero.
 */
export const budgetEstimateRoute = commandRoute({
  command: 'get_budget',
  accepts: ['connection'],
  query: BudgetEstimateQuery,
  reply: BudgetEstimateReply,
  run: ({ query }) => {
    const estimate = convert(
      query.sending_currency_amount,
      query.sending_currency_code,
      query.budget_currency_code,
      'up',
    )
    if (estimate > MAX_WIRE_INTEGER) throw badInput('sending_currency_amount is too large for this budget currency.')
    return { estimated_budget_currency_amount: toWireInteger(estimate) }
  },
})
