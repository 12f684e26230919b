/** A permission group of the public gateway's approval page, with its commands. */
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

/** The commands of the chosen groups that this VASP supports, and the three commands of every connection. */
export function commandsOf(groups: readonly string[], supported: readonly string[]): string[] {
  const chosen = GROUPS.filter((group) => groups.includes(group.id)).flatMap((group) => group.commands)
  return [...ALWAYS, ...chosen].filter((command) => supported.includes(command))
}

/** A group as an app requested it: only the commands that it named. */
export interface AskedGroup extends Group {
  /** Whether the app requires one of these commands. */
  readonly required: boolean
}

export function askedGroups(required: readonly string[], optional: readonly string[]): AskedGroup[] {
  return GROUPS.flatMap((group) => {
    const commands = group.commands.filter((command) => required.includes(command) || optional.includes(command))
    return commands.length === 0
      ? []
      : [{ ...group, commands, required: commands.some((command) => required.includes(command)) }]
  })
}

/**
 * The commands that an app is granted: those of the chosen and the required groups, and the three of every connection.
 */
export function grantedCommands(
  groups: readonly AskedGroup[],
  chosen: readonly string[],
  supported: readonly string[],
): string[] {
  const granted = groups.filter((group) => group.required || chosen.includes(group.id))
  return [...ALWAYS, ...granted.flatMap((group) => group.commands)].filter((command) => supported.includes(command))
}
