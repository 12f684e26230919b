import { MAX_WIRE_INTEGER, toWireInteger } from '../../money/convert'
import { badInput } from '../../errors'
import { estimateBudget } from '../../payments/budget-estimate'
import { commandRoute } from '../route'
import { BudgetEstimateQuery, BudgetEstimateReply } from '../schemas'

/**
 * `GET /budget_estimate`: the most that a payment of this amount takes from the budget, at the rates and balances of this moment.
 * Any pair of currencies, bitcoin included, because gateways also ask for a whole fiat budget in SAT.
 */
export const budgetEstimateRoute = commandRoute({
  command: 'get_budget',
  accepts: ['connection'],
  query: BudgetEstimateQuery,
  reply: BudgetEstimateReply,
  run: ({ caller, query }) => {
    const sending = { amount: query.sending_currency_amount, code: query.sending_currency_code }
    const estimate = estimateBudget(caller.wallets, sending, query.budget_currency_code)
    if (estimate > MAX_WIRE_INTEGER) throw badInput('sending_currency_amount is too large for this budget currency.')
    return { estimated_budget_currency_amount: toWireInteger(estimate) }
  },
})
