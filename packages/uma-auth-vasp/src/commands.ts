/**
 * The only table of commands (specification, API endpoints). Discovery, `/info`, token scopes, the OpenAPI document and the
 * gateway's settings are derived from it and from the methods that the backend implements.
 */
const TABLE = [
  { name: 'get_info', endpoint: 'GET /info', backendMethod: 'getInfo', summary: 'See your address and currencies' },
  {
    name: 'get_budget',
    endpoint: 'GET /budget_estimate',
    backendMethod: 'estimateBudget',
    summary: 'See what an amount costs in another currency',
  },
  { name: 'get_balance', endpoint: 'GET /balance', backendMethod: 'getBalance', summary: 'See your balance' },
  {
    name: 'make_invoice',
    endpoint: 'POST /invoice',
    backendMethod: 'makeInvoice',
    summary: 'Create invoices for you',
  },
  {
    name: 'lookup_invoice',
    endpoint: 'GET /invoices/{payment_hash}',
    backendMethod: 'lookupInvoice',
    summary: 'Look up your invoices',
  },
  {
    name: 'list_transactions',
    endpoint: 'GET /transactions',
    backendMethod: 'listTransactions',
    summary: 'Read your payment history',
  },
  {
    name: 'pay_invoice',
    endpoint: 'POST /payments/bolt11',
    backendMethod: 'payInvoice',
    summary: 'Pay Lightning invoices from your wallet',
  },
  {
    name: 'pay_keysend',
    endpoint: 'POST /payments/keysend',
    backendMethod: 'payKeysend',
    summary: 'Send to Lightning nodes without an invoice',
  },
  {
    name: 'lookup_user',
    endpoint: 'GET /receiver/lud16/{receiver_address}',
    backendMethod: 'lookupUser',
    summary: 'Look up recipients',
  },
  { name: 'fetch_quote', endpoint: 'GET /quote/lud16', backendMethod: 'fetchQuote', summary: 'Get quotes' },
  {
    name: 'execute_quote',
    endpoint: 'POST /quote/{payment_hash}',
    backendMethod: 'executeQuote',
    summary: 'Pay at a quoted price',
  },
  {
    name: 'pay_to_address',
    endpoint: 'POST /payments/lud16',
    backendMethod: 'payToAddress',
    summary: 'Pay UMA addresses from your wallet',
  },
] as const

/** Other spellings that a token exchange may carry (the specification uses both). */
const ALIASES: Readonly<Partial<Record<CommandName, readonly string[]>>> = {
  get_budget: ['get_budget_estimate'],
  lookup_invoice: ['get_invoices'],
  list_transactions: ['get_transactions'],
}

/** Specification, Authentication 8. */
const ALWAYS_GRANTED: readonly CommandName[] = ['get_info', 'get_budget']

/** The name as spelled in VASP_SUPPORTED_COMMANDS. */
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
  /** Granted to every connection, whether requested or not (specification, Authentication 8). */
  readonly alwaysGranted: boolean
  /** What the user permits, in plain words. */
  readonly summary: string
}

export const COMMANDS: readonly Command[] = TABLE.map(({ endpoint, ...command }) => {
  const [method, path] = endpoint.split(' ') as ['GET' | 'POST', string]
  const { name } = command
  return { ...command, method, path, aliases: ALIASES[name] ?? [], alwaysGranted: ALWAYS_GRANTED.includes(name) }
})

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
