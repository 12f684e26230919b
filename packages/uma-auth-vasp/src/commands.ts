/**
 * The one table of commands (specification, API endpoints). Discovery, `/info`, token scopes, the OpenAPI document and the
 * gateway's settings are derived from it and from the methods that the backend implements.
 */
const TABLE = [
  {
    name: 'get_info',
    aliases: [],
    method: 'GET',
    path: '/info',
    backendMethod: 'getInfo',
    alwaysGranted: true,
    summary: 'See your address and currencies',
  },
  {
    name: 'get_budget',
    aliases: ['get_budget_estimate'],
    method: 'GET',
    path: '/budget_estimate',
    backendMethod: 'estimateBudget',
    alwaysGranted: true,
    summary: 'Ask what an amount costs in another currency',
  },
  {
    name: 'get_balance',
    aliases: [],
    method: 'GET',
    path: '/balance',
    backendMethod: 'getBalance',
    alwaysGranted: false,
    summary: 'See your balance',
  },
  {
    name: 'make_invoice',
    aliases: [],
    method: 'POST',
    path: '/invoice',
    backendMethod: 'makeInvoice',
    alwaysGranted: false,
    summary: 'Create invoices that pay you',
  },
  {
    name: 'lookup_invoice',
    aliases: ['get_invoices'],
    method: 'GET',
    path: '/invoices/{payment_hash}',
    backendMethod: 'lookupInvoice',
    alwaysGranted: false,
    summary: 'Look up your invoices',
  },
  {
    name: 'list_transactions',
    aliases: ['get_transactions'],
    method: 'GET',
    path: '/transactions',
    backendMethod: 'listTransactions',
    alwaysGranted: false,
    summary: 'Read your payment history',
  },
  {
    name: 'pay_invoice',
    aliases: [],
    method: 'POST',
    path: '/payments/bolt11',
    backendMethod: 'payInvoice',
    alwaysGranted: false,
    summary: 'Pay Lightning invoices from your wallet',
  },
  {
    name: 'pay_keysend',
    aliases: [],
    method: 'POST',
    path: '/payments/keysend',
    backendMethod: 'payKeysend',
    alwaysGranted: false,
    summary: 'Send to Lightning nodes without an invoice',
  },
  {
    name: 'lookup_user',
    aliases: [],
    method: 'GET',
    path: '/receiver/lud16/{receiver_address}',
    backendMethod: 'lookupUser',
    alwaysGranted: false,
    summary: 'Look up the people you pay',
  },
  {
    name: 'fetch_quote',
    aliases: [],
    method: 'GET',
    path: '/quote/lud16',
    backendMethod: 'fetchQuote',
    alwaysGranted: false,
    summary: 'Ask for quotes',
  },
  {
    name: 'execute_quote',
    aliases: [],
    method: 'POST',
    path: '/quote/{payment_hash}',
    backendMethod: 'executeQuote',
    alwaysGranted: false,
    summary: 'Pay quotes from your wallet',
  },
  {
    name: 'pay_to_address',
    aliases: [],
    method: 'POST',
    path: '/payments/lud16',
    backendMethod: 'payToAddress',
    alwaysGranted: false,
    summary: 'Pay UMA addresses from your wallet',
  },
] as const

/** The name in the spelling of VASP_SUPPORTED_COMMANDS. */
export type CommandName = (typeof TABLE)[number]['name']
/** The backend method that carries out a command. */
export type BackendMethod = (typeof TABLE)[number]['backendMethod']

export interface Command {
  readonly name: CommandName
  /** Other spellings that a token exchange may carry (the specification uses both). */
  readonly aliases: readonly string[]
  readonly method: 'GET' | 'POST'
  /** Below the API base path; `{…}` is one path segment. */
  readonly path: string
  readonly backendMethod: BackendMethod
  /** Granted to every connection, whether or not it was asked for (specification, Authentication 8). */
  readonly alwaysGranted: boolean
  /** What the user permits, in plain words. */
  readonly summary: string
}

export const COMMANDS: readonly Command[] = TABLE

const BY_SPELLING = new Map<string, CommandName>(
  COMMANDS.flatMap(({ name, aliases }) => [name, ...aliases].map((spelling) => [spelling, name] as const)),
)

/** @returns the command with this name or alias; undefined for an unknown name. */
export function commandNamed(spelling: string): CommandName | undefined {
  return BY_SPELLING.get(spelling)
}

/** @returns the names in the order of the table, so that scopes and pages always read the same. */
export function inTableOrder(names: ReadonlySet<string>): CommandName[] {
  return COMMANDS.filter(({ name }) => names.has(name)).map(({ name }) => name)
}

/** @returns the commands that every connection may call. */
export function alwaysGranted(): CommandName[] {
  return COMMANDS.filter((command) => command.alwaysGranted).map(({ name }) => name)
}
