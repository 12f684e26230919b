import type { CommandName } from 'uma-auth-vasp'

/** The side effect of a command. */
export type Effect = 'reads' | 'creates' | 'pays'

export const EFFECTS: Readonly<Record<CommandName, Effect>> = {
  get_info: 'reads',
  get_budget: 'reads',
  get_balance: 'reads',
  make_invoice: 'creates',
  lookup_invoice: 'reads',
  list_transactions: 'reads',
  pay_invoice: 'pays',
  pay_keysend: 'pays',
  lookup_user: 'reads',
  fetch_quote: 'creates',
  execute_quote: 'pays',
  pay_to_address: 'pays',
}
