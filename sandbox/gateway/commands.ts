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

/** A group as an app asked for it: only the commands it named. */
export interface AskedGroup extends Group {
  /** The app does not work without one of these. */
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

/** What an app is granted: the groups that were chosen and those it cannot do without, and the three of every connection. */
export function grantedCommands(
  groups: readonly AskedGroup[],
  chosen: readonly string[],
  supported: readonly string[],
): string[] {
  const granted = groups.filter((group) => group.required || chosen.includes(group.id))
  return [...ALWAYS, ...granted.flatMap((group) => group.commands)].filter((command) => supported.includes(command))
}
