import { COMMANDS, type CommandName } from '../commands'
import type { CommandRoute, MissingRoute } from '../route'
import { balanceRoute } from './balance'
import { budgetEstimateRoute } from './budget-estimate'
import { executeQuoteRoute } from './execute-quote'
import { fetchQuoteRoute } from './fetch-quote'
import { infoRoute } from './info'
import { listTransactionsRoute } from './list-transactions'
import { lookupInvoiceRoute } from './lookup-invoice'
import { lookupUserRoute } from './lookup-user'
import { makeInvoiceRoute } from './make-invoice'
import { payInvoiceRoute } from './pay-invoice'
import { payKeysendRoute } from './pay-keysend'
import { payToAddressRoute } from './pay-to-address'

const WITH_CODE: readonly CommandRoute[] = [
  infoRoute,
  budgetEstimateRoute,
  balanceRoute,
  makeInvoiceRoute,
  lookupInvoiceRoute,
  listTransactionsRoute,
  payInvoiceRoute,
  payKeysendRoute,
  lookupUserRoute,
  fetchQuoteRoute,
  executeQuoteRoute,
  payToAddressRoute,
]

/** Every command of the table with its code, or the mark that it has none. */
export const ROUTES: ReadonlyMap<CommandName, CommandRoute | MissingRoute> = new Map(
  COMMANDS.map((command) => [
    command.name,
    WITH_CODE.find((route) => route.command === command.name) ?? { command: command.name },
  ]),
)
