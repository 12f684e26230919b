import type { CommandName } from 'uma-auth-vasp'

/** What the specification says about each command, in a sentence or two: for the OpenAPI document and for the Wire. */
export const COMMAND_RULES: Readonly<Record<CommandName, string>> = {
  get_info:
    'Returns information on the wallet connection, including default currencies. A login token may call it too.',
  get_budget: 'Estimates a cost in the currency of the budget. The estimate need not be exact.',
  get_balance: 'Returns the balance in the given currency, or in the default currency.',
  make_invoice: 'Creates a BOLT-11 invoice.',
  lookup_invoice: 'Returns an invoice by payment hash, with its payment status.',
  list_transactions: 'Returns the transaction history of the user.',
  pay_invoice: 'Pays a BOLT-11 invoice. The response has the amount to deduct from the budget.',
  pay_keysend: 'Pays by keysend. The response has the amount to deduct from the budget.',
  lookup_user: 'Looks up a UMA receiver and returns the currencies that the receiver accepts.',
  fetch_quote: 'Creates a quote. It is the equivalent of the UMA pay request.',
  execute_quote: 'Pays a quote that was created earlier. The response has the amount to deduct from the budget.',
  pay_to_address: 'Looks up a receiver, creates a quote and pays it in one call. Only the sending side can be locked.',
}
