/** The permission groups of the public gateway's approval page, and the commands each stands for. */
export interface Group {
  readonly id: string
  readonly title: string
  readonly commands: readonly string[]
}

export const GROUPS: readonly Group[] = [
  {
    id: 'send_payments',
    title: 'Send payments',
    commands: ['pay_invoice', 'pay_keysend', 'fetch_quote', 'execute_quote', 'pay_to_address'],
  },
  { id: 'receive_payments', title: 'Receive payments', commands: ['make_invoice'] },
  { id: 'read_balance', title: 'Read your balance', commands: ['get_balance'] },
  { id: 'read_transactions', title: 'Read your payment history', commands: ['list_transactions', 'lookup_invoice'] },
]

const ALWAYS = ['lookup_user', 'get_info', 'get_budget']

/** The commands that a choice of groups means at this VASP: supported ones only, and always the three of every connection. */
export function commandsOf(groups: readonly string[], supported: readonly string[]): string[] {
  const chosen = GROUPS.filter((group) => groups.includes(group.id)).flatMap((group) => group.commands)
  return [...ALWAYS, ...chosen].filter((command) => supported.includes(command))
}
