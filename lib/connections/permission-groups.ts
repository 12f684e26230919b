import { COMMANDS, type CommandName } from 'uma-auth-vasp'

/** What an app may do, in the groups in which gateways ask for permissions. Each command is in one group. */
const GROUPS: readonly (readonly [title: string, commands: readonly CommandName[]])[] = [
  ['Send payments', ['pay_invoice', 'pay_keysend', 'fetch_quote', 'execute_quote', 'pay_to_address']],
  ['Receive payments', ['make_invoice']],
  ['See your balance', ['get_balance']],
  ['See your payments', ['list_transactions', 'lookup_invoice']],
  ['Basics', ['get_info', 'get_budget', 'lookup_user']],
]

export interface PermissionGroup {
  readonly title: string
  /** The permitted commands of the group. */
  readonly commands: readonly { readonly name: CommandName; readonly summary: string }[]
}

/** The groups with at least one permitted command. */
export function permissionGroups(permissions: readonly CommandName[]): PermissionGroup[] {
  return GROUPS.map(([title, names]) => ({
    title,
    commands: COMMANDS.filter(({ name }) => names.includes(name) && permissions.includes(name)),
  })).filter(({ commands }) => commands.length > 0)
}
