import type { CallContext, NewConnection, NewLogin, Slot, Transaction, WalletBackend } from '../src/backend.ts'
import type { CallEvent } from '../src/call.ts'
import { createUmaAuthVasp, type CommandName, type UmaAuthVasp, type UmaAuthVaspOptions } from '../src/index.ts'
import { importKeys, type VaspKeys } from '../src/keys.ts'
import type { TokenClaims } from '../src/tokens.ts'
import { newKeyPair } from './key-pair.ts'

export const DOMAIN = 'bank.example'
export const ROOT = 'https://gateway.example'
export const HASH = 'ab'.repeat(32)
export const PREIMAGE = 'cd'.repeat(32)
export const NOW_MS = 1_800_000_000_000

const DOLLAR = { code: 'USD', symbol: '$', name: 'US Dollar', decimals: 2 } as const
const BITCOIN = { code: 'SAT', symbol: '₿', name: 'Satoshi', decimals: 0 } as const
export const CURRENCIES = [DOLLAR, BITCOIN] as const

type Code = 'USD' | 'SAT'
interface Caller {
  readonly userId: string
}
export type Backend = WalletBackend<Caller, Code>
export type Context = CallContext
export type Options = UmaAuthVaspOptions<Caller, Code, Slot>

const PAYMENT = { preimage: PREIMAGE, totalBudgetAmount: 101n }

const QUOTE = {
  sendingCurrencyCode: 'USD',
  receivingCurrency: BITCOIN,
  paymentHash: HASH,
  createdAtSeconds: 1_800_000_000,
  expiresAtSeconds: 1_800_000_060,
  multiplier: 0.1,
  fees: 1n,
  totalSendingAmount: 101n,
  totalReceivingAmount: 1_000n,
} as const

export const TRANSACTION: Transaction = {
  type: 'incoming',
  paymentHash: HASH,
  amountMsats: 1_000n,
  feesPaidMsats: null,
  invoice: 'lnbcrt1',
  description: 'Tea',
  descriptionHash: null,
  preimage: null,
  createdAtSeconds: 1_800_000_000,
  expiresAtSeconds: 1_800_003_600,
  settledAtSeconds: null,
  metadata: null,
}

/** A bank of one user, alice, with every method. `trace` lists the calls of the backend in their order. */
export function createMemoryBank(changes: Partial<Backend> = {}) {
  const trace: string[] = []
  const logins = new Map<string, NewLogin>()
  const connections = new Map<string, NewConnection>()
  const slot = { release: (): void => void trace.push('release') }
  const complete: Required<Omit<Backend, 'commandsOf'>> = {
    logins: {
      create: async (login) => {
        if (logins.has(login.id)) return 'already-created'
        logins.set(login.id, login)
        return 'created'
      },
      find: ({ id, userId }) =>
        Promise.resolve(userId !== 'alice' ? 'unknown-user' : logins.has(id) ? 'open' : 'closed'),
    },
    connections: {
      create: async (connection) => {
        connections.set(connection.id, connection)
        return 'created'
      },
      open: ({ id, userId }) => Promise.resolve(connections.has(id) || logins.has(id) ? { userId } : undefined),
    },
    admit: () => slot,
    getInfo: () => ({
      pubkey: '',
      network: 'regtest',
      currencies: [{ code: 'USD', multiplier: 10_000, min: 1n, max: 1_000_000n }],
    }),
    estimateBudget: () => ({ budgetAmount: 101n }),
    getBalance: () => ({ amount: 12_345n, currencyCode: 'USD' }),
    makeInvoice: () => TRANSACTION,
    lookupInvoice: (_caller, { paymentHash }) => (paymentHash === HASH ? TRANSACTION : undefined),
    listTransactions: () => [TRANSACTION],
    payInvoice: () => PAYMENT,
    payKeysend: () => PAYMENT,
    lookupUser: () => [{ ...DOLLAR, multiplier: 10_000, min: 1n, max: 100n }],
    fetchQuote: () => QUOTE,
    executeQuote: () => PAYMENT,
    payToAddress: () => ({ ...PAYMENT, quote: QUOTE }),
  }
  const backend = traced<Backend>({ ...complete, ...changes }, trace)
  return { backend, trace, logins, connections, slot }
}

/** Records the name of each method before it is called. An undefined method stays undefined. */
function traced<Methods extends object>(methods: Methods, trace: string[], prefix = ''): Methods {
  return Object.fromEntries(
    Object.entries(methods).flatMap(([name, value]: [string, unknown]) => {
      if (value === undefined) return []
      if (typeof value !== 'function') return [[name, traced(value as object, trace, `${name}.`)]]
      const method = (...call: readonly unknown[]): unknown => {
        trace.push(`${prefix}${name}`)
        return (value as (...call: readonly unknown[]) => unknown)(...call)
      }
      return [[name, method]]
    }),
  ) as Methods
}

export const pair = newKeyPair()
export const keys: VaspKeys = await importKeys({ privateKey: pair.privatePem, publicKey: pair.publicPem })

export interface TestCall {
  readonly method?: string
  readonly path: string
  readonly token?: string | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A valid call of each command. */
export const CALLS: Readonly<Record<CommandName, TestCall>> = {
  get_info: { path: '/info' },
  get_budget: {
    path: '/budget_estimate?sending_currency_code=USD&sending_currency_amount=100&budget_currency_code=SAT',
  },
  get_balance: { path: '/balance' },
  make_invoice: { method: 'POST', path: '/invoice', body: { amount: 1_000 } },
  lookup_invoice: { path: `/invoices/${HASH}` },
  list_transactions: { path: '/transactions' },
  pay_invoice: { method: 'POST', path: '/payments/bolt11', body: { invoice: 'lnbcrt1' } },
  pay_keysend: { method: 'POST', path: '/payments/keysend', body: { amount: 1, pubkey: `02${HASH}` } },
  lookup_user: { path: '/receiver/lud16/$bob@vasp.example' },
  fetch_quote: {
    path: '/quote/lud16?sending_currency_code=USD&receiving_currency_code=SAT&locked_currency_amount=1&locked_currency_side=sending&receiver_address=$bob@vasp.example',
  },
  execute_quote: { method: 'POST', path: `/quote/${HASH}`, body: {} },
  pay_to_address: {
    method: 'POST',
    path: '/payments/lud16',
    body: { receiver_address: '$bob@vasp.example', sending_currency_code: 'USD', sending_currency_amount: 1 },
  },
}

export interface TestVasp extends ReturnType<typeof createMemoryBank> {
  readonly vasp: UmaAuthVasp
  readonly events: CallEvent[]
  readonly logged: { readonly fields: object; readonly message: string }[]
  readonly clock: { nowMs: number }
  /** Sends a call below the API base. */
  readonly call: (
    call: TestCall,
  ) => Promise<{ status: number; headers: Headers; body: Record<string, unknown>; bodyWasRead: boolean }>
  readonly loginToken: (userId?: string) => Promise<string>
  /** A token of a stored connection, with these permissions. */
  readonly connectionToken: (scope?: readonly string[]) => Promise<string>
}

/** A VASP over a memory bank, with a fixed clock and consecutive ids. `create` may come from a bundle. */
export function createTestVasp(
  changes: Partial<Backend> = {},
  options: Partial<Options> = {},
  create: (complete: Options) => UmaAuthVasp = createUmaAuthVasp,
): TestVasp {
  const bank = createMemoryBank(changes)
  const events: CallEvent[] = []
  const logged: { fields: object; message: string }[] = []
  const clock = { nowMs: NOW_MS }
  let lastId = 0
  const vasp = create({
    domain: DOMAIN,
    name: 'Bank',
    gatewayRootUrl: ROOT,
    keys,
    loginSecret: 'x'.repeat(32),
    currencies: CURRENCIES,
    backend: bank.backend,
    clock: { now: () => new Date(clock.nowMs) },
    newId: () => `id-${++lastId}`,
    log: { error: (fields, message) => void logged.push({ fields, message }) },
    observe: (event) => void events.push(event),
    ...options,
  })

  return {
    ...bank,
    vasp,
    events,
    logged,
    clock,
    async call({ method = 'GET', path, token, body, headers }) {
      let bodyWasRead = false
      async function* read(): AsyncGenerator<Uint8Array> {
        bodyWasRead = true
        yield new TextEncoder().encode(typeof body === 'string' ? body : JSON.stringify(body))
      }
      const response = await vasp.handle({
        method,
        url: `/umanwc/v1${path}`,
        headers: new Headers({ ...(token === undefined ? {} : { authorization: `Bearer ${token}` }), ...headers }),
        body: body === undefined ? null : read(),
      })
      return {
        status: response.status,
        headers: new Headers(response.headers),
        body: JSON.parse(response.text) as Record<string, unknown>,
        bodyWasRead,
      }
    },
    async loginToken(userId = 'alice') {
      const subject = { id: `login-${++lastId}`, userId, address: `$${userId}@${DOMAIN}` }
      const { token, expiresAtSeconds } = await vasp.tokens.issueLogin(subject)
      const unknown = { sessionId: undefined, appHost: undefined, clientId: undefined }
      bank.logins.set(subject.id, { ...subject, expiresAtSeconds, ...unknown })
      return token
    },
    async connectionToken(scope = vasp.commands) {
      const id = `connection-${++lastId}`
      const stored = { userId: 'alice', address: `$alice@${DOMAIN}`, expiresAtSeconds: undefined }
      bank.connections.set(id, { id, loginId: 'login', permissions: scope, ...stored })
      return vasp.tokens.issueConnection({ id, scope, ...stored })
    },
  }
}

/** The claims of a token, unverified. */
export function claimsOf(token: string): TokenClaims & Record<string, unknown> {
  return JSON.parse(atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))) as never
}

/** A moment that a test waits for, or that releases other code. */
export function moment(): { readonly reached: Promise<void>; readonly reach: () => void } {
  let reach = (): void => undefined
  const reached = new Promise<void>((resolve) => (reach = resolve))
  return { reached, reach }
}
