import type { Wallet } from '../complete-wallet'
import { answer } from '../reference-vasp'
import {
  answers,
  at,
  bodies,
  bodyOf,
  calls,
  complete,
  errors,
  example,
  instead,
  json,
  jsonAnswer,
  notImplemented,
  pathOf,
  queryOf,
  type Json,
  type Mutation,
  type Wrap,
} from './tools'

const atPayment = at('/payments/bolt11')
const atLookup = at(/^\/invoices\/[^/]+$/)
const atTransactions = at('/transactions')
const atReceiver = at(/^\/receiver\/lud16\//)
const atQuote = at('/quote/lud16')
const atExecution = at(/^\/quote\/[0-9a-f]{64}$/, 'POST')
const atKeysend = at('/payments/keysend')
const atAddress = at('/payments/lud16')

interface Balance {
  balanceMsats: bigint
}
const debit = (user: unknown, msats: bigint): void => void ((user as Balance).balanceMsats -= msats)

function wallet(
  caughtBy: string,
  mistake: string,
  changeWallet: (given: Required<Wallet>) => Partial<Wallet>,
  rest: Partial<Mutation> = {},
  kind: 'example' | 'complete' = 'example',
): Mutation {
  const vasp = {
    wallet: kind,
    changeWallet: (given: Wallet): Wallet => ({ ...given, ...changeWallet(given as Required<Wallet>) }),
  }
  return { caughtBy, mistake, vasp, ...rest }
}

const parameter = (name: string, change: (value: string) => string | undefined): Wrap =>
  calls(atTransactions, (call) => {
    const query = queryOf(call)
    const value = query.get(name)
    const changed = value === null ? undefined : change(value)
    if (changed === undefined) query.delete(name)
    else query.set(name, changed)
    return { ...call, url: `${pathOf(call)}?${query}` }
  })

const SMALL_MSATS = 100_000n

export const paymentMutations: readonly Mutation[] = [
  example('pay-invoice.implemented', 'advertises pay_invoice and answers 501', notImplemented(atPayment)),
  complete('transactions.implemented', 'advertises list_transactions and answers 501', notImplemented(atTransactions)),
  complete('lookup-user.implemented', 'advertises lookup_user and answers 501', notImplemented(atReceiver)),
  complete('fetch-quote.implemented', 'advertises fetch_quote and answers 501', notImplemented(atQuote)),
  complete('execute-quote.implemented', 'advertises execute_quote and answers 501', notImplemented(atExecution)),
  complete('pay-to-address.implemented', 'advertises pay_to_address and answers 501', notImplemented(atAddress)),
  example(
    'pay-invoice.reply',
    'sends no preimage',
    json(atPayment, ({ preimage: _preimage, ...body }) => body),
  ),
  example(
    'pay-invoice.reply',
    'sends a total of 0',
    json(atPayment, (body) => ({ ...body, total_budget_currency_amount: 0 })),
  ),
  example(
    'pay-invoice.preimage',
    'sends another preimage',
    json(atPayment, (body) => ({ ...body, preimage: 'ab'.repeat(32) })),
  ),
  wallet('pay-invoice.repeated', 'pays an invoice twice', ({ payInvoice }) => {
    const paid = new Set<string>()
    return {
      async payInvoice(user, input, context) {
        const result = await payInvoice(user, input, context)
        if (paid.has(input.invoice)) debit(user, SMALL_MSATS)
        paid.add(input.invoice)
        return result
      },
    }
  }),
  example(
    'pay-invoice.looked-up',
    'never shows an invoice as settled',
    json(atLookup, (body) => ({ ...body, settled_at: null })),
  ),
  wallet('pay-invoice.conserved', 'does not credit the receiver', ({ getBalance }) => ({
    getBalance: (user, input, context) =>
      user.id === 'bob' ? { amount: 1_000n, currencyCode: 'SAT' } : getBalance(user, input, context),
  })),
  example(
    'pay-invoice.other-amount',
    'ignores an amount that is sent with the invoice',
    bodies(atPayment, ({ amount: _amount, ...body }) => body),
  ),
  example(
    'pay-invoice.expired',
    'confirms a payment of an expired invoice',
    answers(atPayment, (given) =>
      given.text.includes('has expired')
        ? jsonAnswer(200, { preimage: 'ab'.repeat(32), total_budget_currency_amount: 100 })
        : given,
    ),
  ),
  complete(
    'pay-invoice.listed',
    'does not list invoice payments',
    json(atTransactions, (body) => ({
      transactions: (body.transactions as Json[]).filter(({ invoice }) => invoice == null),
    })),
  ),

  complete(
    'transactions.implemented',
    'advertises list_transactions and answers 501',
    instead(
      (call) => atTransactions(call) && call.headers.has('authorization'),
      () => jsonAnswer(501, { code: 'NOT_IMPLEMENTED', message: 'Not implemented' }),
    ),
  ),
  complete(
    'transactions.reply',
    'sends the list in a field called items',
    json(atTransactions, ({ transactions: items }) => ({ items })),
  ),
  complete(
    'transactions.limit',
    'ignores limit',
    parameter('limit', (value) => (Number(value) === 1 ? '20' : value)),
  ),
  complete(
    'transactions.offset',
    'ignores offset',
    parameter('offset', (value) => (value === '1' ? '0' : value)),
  ),
  wallet(
    'transactions.order',
    'lists the oldest entry first',
    ({ listTransactions }) => ({
      async listTransactions(user, filter, context) {
        const all = await listTransactions(user, { ...filter, offset: 0, limit: 1_000 }, context)
        return all.toReversed().slice(filter.offset, filter.offset + filter.limit)
      },
    }),
    {},
    'complete',
  ),
  complete(
    'transactions.type',
    'ignores type',
    parameter('type', (value) => (/coming$|going$/.test(value) ? undefined : value)),
  ),
  complete(
    'transactions.gateway-type',
    "refuses the gateway's spelling of type",
    instead(
      (call) => atTransactions(call) && call.url.includes('TransactionType'),
      () => jsonAnswer(400, { code: 'OTHER', message: 'type is not valid' }),
    ),
  ),
  complete(
    'transactions.period',
    'ignores from',
    parameter('from', (value) => (value === 'abc' ? value : undefined)),
  ),
  complete(
    'transactions.page-bytes',
    'sends pages of any size',
    json(
      (call) => atTransactions(call) && call.url.includes('limit=1000'),
      (body) => ({
        transactions: (body.transactions as Json[]).map((each) => ({ ...each, description: 'x'.repeat(20_000) })),
      }),
    ),
  ),
  complete(
    'transactions.bad-input',
    'ignores a limit that cannot be read',
    parameter('limit', (value) => (value === 'abc' ? undefined : value)),
  ),

  complete(
    'lookup-user.reply',
    'sends min 0',
    json(atReceiver, (body) => ({ currencies: (body.currencies as Json[]).map((each) => ({ ...each, min: 0 })) })),
  ),
  complete(
    'lookup-user.currencies',
    'leaves currencies out',
    json(atReceiver, () => ({})),
  ),
  complete(
    'lookup-user.base-currency',
    'refuses base_sending_currency_code',
    instead(
      (call) => atReceiver(call) && call.url.includes('base_sending'),
      () => jsonAnswer(400, { code: 'OTHER', message: 'Unknown parameter' }),
    ),
  ),
  complete(
    'lookup-user.unknown',
    'answers an unknown user with an empty list',
    answers(atReceiver, (given) => (given.status === 404 ? jsonAnswer(200, { currencies: [] }) : given)),
  ),
  complete(
    'lookup-user.malformed',
    'answers an invalid address with an empty list',
    answers(atReceiver, (given, call) =>
      given.status === 400 && !call.url.includes('not%20an') && call.headers.has('authorization')
        ? jsonAnswer(200, { currencies: [] })
        : given,
    ),
  ),

  complete(
    'fetch-quote.reply',
    'leaves expires_at out',
    json(atQuote, ({ expires_at: _expires, ...body }) => body),
  ),
  complete(
    'fetch-quote.locked-sending',
    'adds the fee to a locked amount',
    json(
      (call) => atQuote(call) && call.url.includes('=sending'),
      (body) => ({ ...body, fees: 1, total_sending_amount: Number(body.total_sending_amount) + 1 }),
    ),
  ),
  complete(
    'fetch-quote.locked-receiving',
    'takes the fee from a locked amount',
    json(
      (call) => atQuote(call) && call.url.includes('=receiving'),
      (body) => ({ ...body, total_receiving_amount: Number(body.total_receiving_amount) - 1 }),
    ),
  ),
  complete(
    'fetch-quote.sum',
    'sends the multiplier in millisatoshis',
    json(atQuote, (body) => ({ ...body, multiplier: 1_000 })),
  ),
  complete(
    'fetch-quote.times',
    'sends created_at in milliseconds',
    json(atQuote, (body) => ({ ...body, created_at: Number(body.created_at) * 1_000 })),
  ),
  complete(
    'fetch-quote.unknown',
    'answers an unknown receiver with plain text',
    answers(atQuote, (given) => (given.status === 404 ? answer(404, 'Not found') : given)),
  ),
  complete(
    'fetch-quote.bad-input',
    'treats a negative amount as positive',
    (next) => (call) => next(atQuote(call) ? { ...call, url: call.url.replace('amount=-1', 'amount=1') } : call),
  ),

  complete(
    'execute-quote.unknown',
    'answers an unknown quote with the code OTHER',
    errors(atExecution, (body, { status }) => (status === 404 ? { ...body, code: 'OTHER' } : body)),
  ),
  complete(
    'execute-quote.reply',
    'sends a total of 0',
    json(atExecution, (body) => ({ ...body, total_budget_currency_amount: 0 })),
  ),
  wallet(
    'execute-quote.total-is-debit',
    'debits more than it quoted',
    ({ executeQuote }) => {
      const paid = new Set<string>()
      return {
        async executeQuote(user, input, context) {
          const result = await executeQuote(user, input, context)
          if (!paid.has(input.paymentHash)) debit(user, 1_000n)
          paid.add(input.paymentHash)
          return result
        },
      }
    },
    {},
    'complete',
  ),
  wallet(
    'execute-quote.repeated',
    'pays a quote twice',
    ({ executeQuote }) => {
      const paid = new Set<string>()
      return {
        async executeQuote(user, input, context) {
          const result = await executeQuote(user, input, context)
          if (paid.has(input.paymentHash)) debit(user, SMALL_MSATS)
          paid.add(input.paymentHash)
          return result
        },
      }
    },
    {},
    'complete',
  ),
  wallet(
    'execute-quote.other-user',
    "pays another user's quote",
    ({ executeQuote, fetchQuote }) => {
      const known = new Set<string>()
      return {
        async fetchQuote(user, input, context) {
          const quote = await fetchQuote(user, input, context)
          known.add(quote.paymentHash)
          return quote
        },
        executeQuote: (user, input, context) =>
          known.has(input.paymentHash) && user.id === 'bob'
            ? { preimage: 'ab'.repeat(32), totalBudgetAmount: 1n }
            : executeQuote(user, input, context),
      }
    },
    {},
    'complete',
  ),

  complete(
    'keysend.bad-input',
    'fails on a node key that cannot be read',
    answers(atKeysend, (given, call) =>
      bodyOf(call)?.pubkey === 'abc' ? jsonAnswer(500, { code: 'INTERNAL', message: 'Internal' }) : given,
    ),
  ),
  complete(
    'keysend.reply',
    'sends no preimage',
    json(atKeysend, ({ preimage: _preimage, ...body }) => body),
  ),
  wallet(
    'keysend.repeated',
    'pays a keysend twice',
    ({ payKeysend }) => {
      const paid = new Set<string | undefined>()
      return {
        async payKeysend(user, input, context) {
          const result = await payKeysend(user, input, context)
          if (paid.has(input.preimage)) debit(user, SMALL_MSATS)
          paid.add(input.preimage)
          return result
        },
      }
    },
    {},
    'complete',
  ),
  complete(
    'pay-to-address.bad-input',
    'accepts an amount that is a string',
    bodies(atAddress, (body) =>
      typeof body.sending_currency_amount === 'string' ? { ...body, sending_currency_amount: 10 } : body,
    ),
  ),
  complete(
    'pay-to-address.reply',
    'sends no quote',
    json(atAddress, ({ quote: _quote, ...body }) => body),
  ),
]
