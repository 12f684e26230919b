/**
 * The one table of commands. `/info`, discovery, the scopes of tokens, the printed gateway settings, the OpenAPI
 * document and the table in the README are all read from it, so that what is advertised is what is implemented.
 */
export interface Command {
  /** The name that the gateway's settings and NWC use. */
  readonly name: string
  /** Other spellings that a token exchange may carry (the specification uses both). */
  readonly aliases: readonly string[]
  readonly method: 'GET' | 'POST'
  /** Below the API base; `{…}` is one path segment. */
  readonly path: string
  readonly implemented: boolean
  /** Granted to every connection, asked for or not (specification, Authentication 8). */
  readonly always: boolean
  /** What a person reads on the connections page. */
  readonly plainWords: string
}

const ROWS = [
  ['get_info', [], 'GET', '/info', true, true, 'See your address and currencies'],
  [
    'get_budget',
    ['get_budget_estimate'],
    'GET',
    '/budget_estimate',
    true,
    true,
    'Ask what an amount costs in another currency',
  ],
  ['get_balance', [], 'GET', '/balance', true, false, 'See your balance'],
  ['make_invoice', [], 'POST', '/invoice', true, false, 'Make invoices that pay you'],
  ['lookup_invoice', ['get_invoices'], 'GET', '/invoices/{payment_hash}', true, false, 'Look up your invoices'],
  ['list_transactions', ['get_transactions'], 'GET', '/transactions', true, false, 'Read your payment history'],
  ['pay_invoice', [], 'POST', '/payments/bolt11', true, false, 'Pay Lightning invoices from your wallet'],
  ['pay_keysend', [], 'POST', '/payments/keysend', true, false, 'Send to Lightning nodes without an invoice'],
  ['lookup_user', [], 'GET', '/receiver/lud16/{receiver_address}', true, false, 'Look up the people you pay'],
  ['fetch_quote', [], 'GET', '/quote/lud16', true, false, 'Ask for quotes'],
  ['execute_quote', [], 'POST', '/quote/{payment_hash}', true, false, 'Pay quotes from your wallet'],
  ['pay_to_address', [], 'POST', '/payments/lud16', true, false, 'Pay UMA addresses from your wallet'],
] as const

export type CommandName = (typeof ROWS)[number][0]

export const COMMANDS: readonly (Command & { readonly name: CommandName })[] = ROWS.map(
  ([name, aliases, method, path, implemented, always, plainWords]) => ({
    name,
    aliases,
    method,
    path,
    implemented,
    always,
    plainWords,
  }),
)

const NAME_BY_SPELLING = new Map<string, CommandName>(
  COMMANDS.flatMap((command) => [command.name, ...command.aliases].map((spelling) => [spelling, command.name])),
)

/** The command meant by a name or an alias; undefined for a name nobody knows. */
export function commandNamed(spelling: string): CommandName | undefined {
  return NAME_BY_SPELLING.get(spelling)
}

/** The names this VASP implements, in the spelling of VASP_SUPPORTED_COMMANDS. */
export function settingNames(): CommandName[] {
  return COMMANDS.filter((command) => command.implemented).map((command) => command.name)
}

export function alwaysGranted(): CommandName[] {
  return COMMANDS.filter((command) => command.always).map((command) => command.name)
}

/** Commands in the order of the table, so that scopes and pages always read the same. */
export function inTableOrder(names: ReadonlySet<string>): CommandName[] {
  return COMMANDS.filter((command) => names.has(command.name)).map((command) => command.name)
}
