import { checkRefused, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import type { Command } from '../verdict.ts'

/** A request for a command that moves no money: read-only, or invalid on purpose. */
export interface Probe {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: unknown
}

/** The `run` of a case whose inputs must all be refused; with a code and a message if the gateway passes them on. */
export function refuses<Input>(
  what: string,
  inputs: readonly Input[],
  send: (context: CaseContext, input: Input) => Promise<Reply>,
  checkReply = checkRefused,
) {
  return async (context: CaseContext): Promise<void> => {
    for (const input of inputs) checkReply(await send(context, input), `${what} ${show(input)}`)
  }
}

const UNKNOWN_HASH = '00'.repeat(32)

export const PROBES: Readonly<Record<Command, Probe>> = {
  get_info: { method: 'GET', path: '/info' },
  get_budget: { method: 'GET', path: '/budget_estimate' },
  get_balance: { method: 'GET', path: '/balance' },
  make_invoice: { method: 'POST', path: '/invoice', body: { amount: -1 } },
  lookup_invoice: { method: 'GET', path: `/invoices/${UNKNOWN_HASH}` },
  list_transactions: { method: 'GET', path: '/transactions' },
  pay_invoice: { method: 'POST', path: '/payments/bolt11', body: { invoice: 'not an invoice' } },
  pay_keysend: { method: 'POST', path: '/payments/keysend', body: { amount: -1, pubkey: 'none' } },
  lookup_user: { method: 'GET', path: '/receiver/lud16/not%20an%20address' },
  fetch_quote: { method: 'GET', path: '/quote/lud16' },
  execute_quote: { method: 'POST', path: `/quote/${UNKNOWN_HASH}`, body: { budget_currency_code: null } },
  pay_to_address: { method: 'POST', path: '/payments/lud16', body: { receiver_address: 'not an address' } },
}
