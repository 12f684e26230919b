import { setTimeout as sleep } from 'node:timers/promises'
import { WalletError } from 'uma-auth-vasp'
import { readBolt11 } from '../../../packages/uma-auth-conformance/src/bolt11'
import { decodeToken } from '../../../packages/uma-auth-conformance/src/jwt'
import type { Wallet } from '../complete-wallet'
import type { Answer } from '../reference-vasp'
import {
  answers,
  at,
  atApi,
  atLogin,
  bearerOf,
  calls,
  complete,
  example,
  instead,
  isSignedBy,
  json,
  jsonAnswer,
  pathOf,
  withHeader,
  type Json,
  type Mutation,
  type Wrap,
} from './tools'

// Mistakes that move wrong amounts of money, or show them to the wrong user.

interface Balance {
  readonly id: string
  balanceMsats: bigint
}
interface Paid {
  readonly preimage: string
  readonly totalBudgetAmount: bigint
}
/** A payment that has just moved money from alice to bob. */
interface Moved {
  readonly payer: Balance
  readonly payee: Balance
  readonly msats: bigint
  readonly paid: Paid
}

const METHODS = {
  'pay-invoice': 'payInvoice',
  keysend: 'payKeysend',
  'execute-quote': 'executeQuote',
  'pay-to-address': 'payToAddress',
} as const
type Kind = keyof typeof METHODS
const KINDS = Object.keys(METHODS) as Kind[]
type Pay = (user: Balance, input: unknown, context: unknown) => Promise<Paid> | Paid

/** Runs `after` when a payment moved money, with the first or the only request for it. */
function moving(
  kind: Kind,
  after: (moved: Moved) => Paid | void,
  isRaced: (key: string) => Promise<boolean> = () => Promise.resolve(true),
): (given: Wallet) => Wallet {
  return (given) => {
    const wallet = given as Required<Wallet>
    const users = new Map<string, Balance>()
    const pay = wallet[METHODS[kind]] as unknown as Pay
    return {
      ...given,
      getBalance(user, input, context) {
        users.set(user.id, user as unknown as Balance)
        return wallet.getBalance(user, input, context)
      },
      async [METHODS[kind]](user: Balance, input: unknown, context: unknown) {
        const isMatch = await isRaced(kind === 'pay-to-address' ? kind : JSON.stringify(input, withoutBigInts))
        const before = user.balanceMsats
        const result = pay(user, input, context)
        const msats = before - user.balanceMsats
        const paid = await result
        const payee = users.get('bob')
        if (!isMatch || payee === undefined || (msats === 0n && kind === 'pay-to-address')) return paid
        return after({ payer: user, payee, msats, paid }) ?? paid
      },
    }
  }
}

const withoutBigInts = (_name: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)

/** Whether another request for the same payment is in flight. */
function racing(): (key: string) => Promise<boolean> {
  const inFlight = new Set<string>()
  return async (key) => {
    const isSecond = inFlight.has(key)
    inFlight.add(key)
    await sleep(300)
    inFlight.delete(key)
    return isSecond
  }
}

const LARGE_MSATS = 1_000_000n
const SMALL_MSATS = 100_000n
const UNCHECKED_MSATS = 10n ** 12n

const PATHS: Readonly<Record<Kind, string | RegExp>> = {
  'pay-invoice': '/payments/bolt11',
  keysend: '/payments/keysend',
  'execute-quote': /^\/quote\/[0-9a-f]{64}$/,
  'pay-to-address': '/payments/lud16',
}

/** Pays whatever the balance is. */
const unchecked =
  (kind: Kind) =>
  (given: Wallet): Wallet => {
    const pay = (given as Required<Wallet>)[METHODS[kind]] as unknown as Pay
    return {
      ...given,
      [METHODS[kind]](user: Balance, input: unknown, context: unknown) {
        user.balanceMsats += UNCHECKED_MSATS
        try {
          return pay(user, input, context)
        } finally {
          user.balanceMsats -= UNCHECKED_MSATS
        }
      },
    }
  }

const KEY = 'idempotency-key'
const keyless = (path: string | RegExp): Wrap =>
  calls(at(path, 'POST'), (call) => {
    const headers = new Headers(call.headers)
    headers.delete(KEY)
    return { ...call, headers }
  })

/** Compares the key alone, not the request. */
const keyOnly =
  (path: string | RegExp): Wrap =>
  (next) => {
    const answered = new Map<string, Answer>()
    return async (call) => {
      const key = call.headers.get(KEY)
      if (key === null || !at(path, 'POST')(call)) return next(call)
      const given = answered.get(key) ?? (await next(call))
      answered.set(key, given)
      return given
    }
  }

/** The same mistakes in each kind of payment. */
const ofEachKind = KINDS.flatMap((kind): Mutation[] => {
  const plant = (
    area: string,
    mistake: string,
    after: (moved: Moved) => Paid | void,
    rest: Partial<Mutation> = {},
    isRaced?: () => (key: string) => Promise<boolean>,
  ): Mutation => ({
    caughtBy: `${kind}.${area}`,
    mistake: `${mistake} (${kind})`,
    alone: true,
    vasp: { wallet: 'complete', changeWallet: (given) => moving(kind, after, isRaced?.())(given) },
    ...rest,
  })
  const racedMistake =
    kind === 'pay-to-address'
      ? plant(
          'at-once',
          'debits two payments at once only once',
          ({ payer, msats }) => void (payer.balanceMsats += msats),
          {},
          racing,
        )
      : plant(
          'at-once',
          'debits each of two requests at once',
          ({ payer }) => void (payer.balanceMsats -= SMALL_MSATS),
          {},
          racing,
        )
  const path = PATHS[kind]
  return [
    racedMistake,
    {
      caughtBy: `${kind}.insufficient`,
      mistake: `does not compare the balance with the amount (${kind})`,
      alone: true,
      vasp: { wallet: 'complete', changeWallet: unchecked(kind) },
    },
    complete(`${kind}.idempotent`, `ignores the Idempotency-Key (${kind})`, keyless(path), { alone: true }),
    complete(
      `${kind}.idempotent`,
      `answers another request with the stored answer of its key (${kind})`,
      keyOnly(path),
      {
        alone: true,
      },
    ),
    plant('conserved', 'credits the receiver twice', ({ payee, msats }) => void (payee.balanceMsats += msats), {
      // A part of a satoshi that is credited twice is found twice.
      alone: kind === 'execute-quote' || kind === 'pay-to-address',
    }),
    plant(
      'conserved',
      'keeps one percent of what it credits',
      ({ payee, msats }) => void (payee.balanceMsats -= msats / 100n),
    ),
    plant('total-is-debit', 'reports one satoshi less than it debits', ({ paid, msats }) =>
      msats < LARGE_MSATS ? undefined : { ...paid, totalBudgetAmount: paid.totalBudgetAmount - 1n },
    ),
    plant(
      'estimated',
      'takes a fee of five percent that it did not estimate',
      ({ payer, msats, paid }) => {
        if (msats < LARGE_MSATS) return undefined
        payer.balanceMsats -= msats / 20n
        return { ...paid, totalBudgetAmount: (msats + msats / 20n) / 1_000n }
      },
      // A quote names the debit, so that its fee is found twice.
      { alone: kind === 'pay-invoice' || kind === 'keysend' },
    ),
  ]
})

/** The same mistakes in the payments of millisatoshis. */
const ofMillisatoshis = (['pay-invoice', 'keysend'] as const).flatMap((kind): Mutation[] => {
  const plant = (mistake: string, after: (moved: Moved, rest: bigint) => Paid | void): Mutation => ({
    caughtBy: `${kind}.rounded-up`,
    mistake: `${mistake} (${kind})`,
    alone: true,
    vasp: {
      wallet: 'complete',
      changeWallet: moving(kind, (moved) => {
        const rest = moved.msats % 1_000n
        return rest === 0n ? undefined : after(moved, rest)
      }),
    },
  })
  return [
    plant('rounds the total down', ({ paid, msats }) => ({ ...paid, totalBudgetAmount: msats / 1_000n })),
    plant('rounds the total to the nearest satoshi', ({ paid, msats }) => ({
      ...paid,
      totalBudgetAmount: (msats + 500n) / 1_000n,
    })),
    plant('rounds credits up', ({ payee }, rest) => void (payee.balanceMsats += 1_000n - rest)),
    plant('rounds debits down', ({ payer }, rest) => void (payer.balanceMsats += rest)),
  ]
})

/** Refuses to pay a user's quote to the same user, before it asks whose quote it is. */
const selfPaymentFirst = (given: Wallet): Wallet => {
  const { executeQuote, fetchQuote } = given as Required<Wallet>
  const known = new Set<string>()
  return {
    ...given,
    async fetchQuote(user, input, context) {
      const quote = await fetchQuote(user, input, context)
      known.add(quote.paymentHash)
      return quote
    },
    executeQuote(user, input, context) {
      if (user.id === 'bob' && known.has(input.paymentHash))
        throw new WalletError('PAYMENT_FAILED', 'This invoice is your own.')
      return executeQuote(user, input, context)
    },
  }
}

/** Shows the wallet to a login that creates no connection any more. */
const closedLogin: Wrap = (next, pair) =>
  answers(at('/info'), (given, call) => {
    const token = bearerOf(call) ?? ''
    const isLogin = decodeToken(token)?.claims.token_use === 'login' && isSignedBy(token, pair)
    return given.status === 401 && isLogin ? jsonAnswer(200, {}) : given
  })(next, pair, '')

/** Looks an invoice up by its hash, and takes the amount from the text. */
const forged = (given: Wallet): Wallet => {
  const { makeInvoice, payInvoice } = given as Required<Wallet>
  const texts = new Map<string, string>()
  return {
    ...given,
    async makeInvoice(user, input, context) {
      const made = await makeInvoice(user, input, context)
      texts.set(made.paymentHash, made.invoice ?? '')
      return made
    },
    async payInvoice(user, input, context) {
      const read = readBolt11(input.invoice)
      const stored = texts.get(read?.paymentHash ?? '')
      if (stored === undefined || stored === input.invoice) return payInvoice(user, input, context)
      const [amount, price] = [readBolt11(stored)?.amountMsats ?? 0n, read?.amountMsats ?? 0n]
      const paid = await payInvoice(user, { ...input, invoice: stored }, context)
      ;(user as unknown as Balance).balanceMsats += amount - price
      return { ...paid, totalBudgetAmount: price / 1_000n }
    },
  }
}

/** Lists the entries of the user who asked first, for everybody. */
const sharedHistory = (given: Wallet): Wallet => {
  const { listTransactions } = given as Required<Wallet>
  let first: Parameters<typeof listTransactions>[0] | undefined
  return {
    ...given,
    listTransactions(user, filter, context) {
      first ??= user
      return listTransactions(first, filter, context)
    },
  }
}

/** A form of the sign-in page that any browser may submit. */
const unbound: Wrap = (next) => {
  const cookies = new Map<string, string>()
  return async (call) => {
    if (pathOf(call) === '/sign-in') {
      const headers = new Headers(call.headers)
      const cookie = cookies.get(new URLSearchParams(call.body).get('pending') ?? '')
      if (cookie !== undefined) headers.set('cookie', cookie)
      return next({ ...call, headers })
    }
    const given = await next(call)
    const [, pending = ''] = /name="pending" value="([^"]+)"/.exec(given.text) ?? []
    const [cookie] = (given.headers.get('set-cookie') ?? '').split(';')
    if (pending !== '' && cookie !== undefined) cookies.set(pending, cookie)
    return given
  }
}

const promised = (path: string): Wrap =>
  instead(
    (call) => pathOf(call) === path,
    () => jsonAnswer(200, {}),
  )

export const movementMutations: readonly Mutation[] = [
  ...ofEachKind,
  ...ofMillisatoshis,
  example('make-invoice.idempotent', 'ignores the Idempotency-Key (make-invoice)', keyless('/invoice'), {
    alone: true,
  }),
  example(
    'make-invoice.idempotent',
    'answers another request with the stored answer of its key (make-invoice)',
    keyOnly('/invoice'),
    { alone: true },
  ),
  {
    caughtBy: 'execute-quote.other-user-unknown',
    mistake: 'executes a quote for any user but its receiver',
    alone: true,
    vasp: { wallet: 'complete', changeWallet: selfPaymentFirst },
  },
  example('login.signed-out-again', 'shows the wallet to a closed login', closedLogin, { alone: true }),
  {
    caughtBy: 'pay-invoice.forged',
    mistake: 'looks an invoice up by its hash and takes the amount from the text',
    alone: true,
    vasp: { changeWallet: forged },
  },
  {
    caughtBy: 'transactions.other-user',
    mistake: 'shows the history of another user, with preimages',
    alone: true,
    vasp: { wallet: 'complete', changeWallet: sharedHistory },
  },
  complete(
    'execute-quote.expired',
    'pays a quote after its expiry',
    json(at('/quote/lud16'), (body) => ({ ...body, expires_at: Number(body.created_at) + 2 })),
    { alone: true, slow: true },
  ),
  complete(
    'fetch-quote.times',
    'sends expires_at in milliseconds',
    json(at('/quote/lud16'), (body) => ({ ...body, expires_at: Number(body.expires_at) * 1_000 })),
    { alone: true },
  ),
  example('login.bound', 'accepts the sign-in form from any browser', unbound, { alone: true }),
  example('login.signed-out-again', 'keeps the session after sign-out', promised('/sign-out'), { alone: true }),
  example('bearer.revoked', 'accepts the token of an ended connection', promised('/end'), { alone: true }),
  example(
    'balance.integer',
    'sends a balance with half a satoshi',
    json(at('/balance'), (body) => ({ ...body, balance: Number(body.balance) + 0.5 })),
    { alone: true },
  ),
  example(
    'info.multiplier',
    'sends a multiplier that is not in millisatoshis',
    json(at('/info'), (body) => ({
      ...body,
      currencies: (body.currencies as Json[]).map((each) => ({ ...each, multiplier: 1_001 })),
    })),
    { alone: true },
  ),
  example(
    'login.head',
    'fails on HEAD',
    instead(
      (call) => atLogin(call) && call.method === 'HEAD',
      () => jsonAnswer(500, {}),
    ),
    { alone: true },
  ),
  example(
    'discovery.cors',
    'allows another origin than the one that asks',
    answers(
      (call) => pathOf(call) === '/.well-known/uma-configuration',
      (given) => withHeader(given, 'access-control-allow-origin', 'https://other.example'),
    ),
    { alone: true },
  ),
]

/** Habits of a VASP that are no mistakes. The kit finds nothing in them. */
export const HABITS: readonly (readonly [string, Wrap])[] = [
  [
    'limits its rate, and says when to try again',
    (next) => {
      let count = 0
      return async (call) => {
        count += 1
        if (count % 4 !== 0) return next(call)
        return withHeader(jsonAnswer(429, { code: 'RATE_LIMITED', message: 'Slow down' }), 'retry-after', '0')
      }
    },
  ],
  [
    'names the origin that asks, and none without one',
    answers(
      (call) => pathOf(call) === '/.well-known/uma-configuration',
      (given, { headers }) => withHeader(given, 'access-control-allow-origin', headers.get('origin') ?? undefined),
    ),
  ],
  [
    'knows an address only as the gateway sends it, encoded once',
    instead(
      (call) => atApi(call) && call.url.includes('%25'),
      () => jsonAnswer(404, { code: 'NOT_FOUND', message: 'Not found' }),
    ),
  ],
]
