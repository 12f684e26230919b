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
/** What every connection can do. */
export const ALWAYS_TITLE = 'See your address and currencies, and what an amount costs'

/** A group of which an app requested some commands, or a group of this page. */
export type AskedGroup = Group & { readonly required?: boolean }

/** The groups as an app requested them: only the commands that it named. `required`: the app requires one of them. */
export function askedGroups(required: readonly string[], optional: readonly string[]): AskedGroup[] {
  return GROUPS.map((group) => {
    const commands = group.commands.filter((command) => required.includes(command) || optional.includes(command))
    return { ...group, commands, required: commands.some((command) => required.includes(command)) }
  }).filter(({ commands }) => commands.length > 0)
}

/** The commands of the chosen and the required groups that this VASP supports, and the three of every connection. */
export function commandsOf(
  chosen: readonly string[],
  supported: readonly string[],
  groups: readonly AskedGroup[] = GROUPS,
): string[] {
  const granted = groups.filter((group) => group.required === true || chosen.includes(group.id))
  return [...ALWAYS, ...granted.flatMap((group) => group.commands)].filter((command) => supported.includes(command))
}

/** The commands of a connection by what they do, as on the approval page. */
export function permissionsOf(commands: readonly string[]): readonly Omit<Group, 'id'>[] {
  return [{ title: ALWAYS_TITLE, commands: ALWAYS }, ...GROUPS]
    .map((group) => ({ title: group.title, commands: group.commands.filter((each) => commands.includes(each)) }))
    .filter((group) => group.commands.length > 0)
}
