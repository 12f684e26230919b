import { decodeToken } from '../../../packages/uma-auth-conformance/src/jwt'
import { answer, type Call } from '../reference-vasp'
import {
  answers,
  at,
  bearerOf,
  bodies,
  bodyOf,
  calls,
  errors,
  example,
  instead,
  json,
  jsonAnswer,
  notImplemented,
  queryOf,
  together,
  type Json,
  type Mutation,
} from './tools'

const atInvoice = at('/invoice', 'POST')
const atLookup = at(/^\/invoices\/[^/]+$/)
const atEstimate = at('/budget_estimate')
const isOf = (call: Call, user: string): boolean => decodeToken(bearerOf(call) ?? '')?.claims.sub === user

/** Changes parameters of requests. */
function parameters(path: string, change: (query: URLSearchParams) => void) {
  return calls(at(path), (call) => {
    const query = queryOf(call)
    change(query)
    return { ...call, url: `/umanwc/v1${path}?${query}` }
  })
}

function info(caughtBy: string, mistake: string, change: (body: Json) => Json, rest: Partial<Mutation> = {}): Mutation {
  return example(caughtBy, mistake, json(at('/info'), change), rest)
}

interface Preference {
  readonly currency: Json
  readonly min: number
  readonly max: number
}
const currenciesOf = (body: Json): Preference[] => body.currencies as Preference[]

function estimate(caughtBy: string, mistake: string, change: (amount: number, call: Call) => unknown): Mutation {
  return example(
    caughtBy,
    mistake,
    json(atEstimate, (body, call) => ({
      estimated_budget_currency_amount: change(Number(body.estimated_budget_currency_amount), call),
    })),
  )
}

function created(caughtBy: string, mistake: string, change: (body: Json, call: Call) => Json): Mutation {
  return example(caughtBy, mistake, json(atInvoice, change))
}

export const walletMutations: readonly Mutation[] = [
  example('info.implemented', 'advertises get_info and answers 501', notImplemented(at('/info'))),
  example('budget.implemented', 'advertises get_budget and answers 501', notImplemented(atEstimate)),
  example('balance.implemented', 'advertises get_balance and answers 501', notImplemented(at('/balance'))),
  example('make-invoice.implemented', 'advertises make_invoice and answers 501', notImplemented(atInvoice)),
  example('lookup-invoice.implemented', 'advertises lookup_invoice and answers 501', notImplemented(atLookup)),
  info('info.reply', 'names a network that no gateway knows', (body) => ({ ...body, network: 'testing' })),
  example(
    'info.reply',
    'writes decimals with a decimal point',
    answers(at('/info'), (given) => ({ ...given, text: given.text.replaceAll('"decimals":0', '"decimals":0.0') })),
  ),
  info('info.currencies', 'names no currency', (body) => ({ ...body, currencies: [] })),
  info('info.currency-codes', 'names a currency of four letters', (body) => ({
    ...body,
    currencies: [
      ...currenciesOf(body),
      ...currenciesOf(body).map((each) => ({ ...each, currency: { ...each.currency, code: 'USDC' } })),
    ],
  })),
  info('info.bounds', 'has min above max', (body) => ({
    ...body,
    currencies: currenciesOf(body).map((each) => ({ ...each, min: each.max + 1 })),
  })),
  info('info.address', 'names another address', (body) => ({ ...body, lud16: '$someone@bank.example' })),

  estimate('budget.reply', 'sends the estimate as a string', String),
  estimate('budget.same-currency', 'estimates half the amount', (amount) => Math.ceil(amount / 2)),
  estimate('budget.smallest', 'rounds a small estimate to 0', (amount) => (amount === 1 ? 0 : amount)),
  estimate('budget.grows', 'gives every amount the same estimate', () => 1_000),
  example(
    'budget.bad-amount',
    'treats a negative amount as positive',
    parameters('/budget_estimate', (query) =>
      query.set('sending_currency_amount', (query.get('sending_currency_amount') ?? '').replace('-', '')),
    ),
  ),
  example(
    'budget.unknown-currency',
    'estimates currencies without a rate',
    parameters('/budget_estimate', (query) => {
      for (const [name, value] of Array.from(query)) if (value === 'ZZZ') query.set(name, 'SAT')
    }),
  ),

  example(
    'balance.reply',
    'sends the balance as a string',
    json(at('/balance'), (body) => ({ ...body, balance: String(body.balance) })),
  ),
  example(
    'balance.default-currency',
    'answers in a currency other than the default',
    json(at('/balance'), (body, call) =>
      queryOf(call).has('currency_code') ? body : { ...body, currency: { ...(body.currency as Json), code: 'USD' } },
    ),
  ),
  example(
    'balance.given-currency',
    'answers in a currency other than the requested one',
    json(at('/balance'), (body, call) =>
      queryOf(call).has('currency_code') ? { ...body, currency: { ...(body.currency as Json), code: 'USD' } } : body,
    ),
  ),
  example(
    'balance.unknown-currency',
    'answers an unknown currency with the default',
    parameters('/balance', (query) => query.get('currency_code') === 'ZZZ' && query.delete('currency_code')),
  ),
  example(
    'balance.unknown-parameter',
    'refuses parameters that it does not know',
    instead(
      (call) => at('/balance')(call) && queryOf(call).has('conformance'),
      () => jsonAnswer(400, { code: 'OTHER', message: 'Unknown parameter' }),
    ),
  ),

  example(
    'make-invoice.reply',
    'refuses null',
    instead(
      (call) => atInvoice(call) && bodyOf(call)?.description_hash === null,
      () => jsonAnswer(400, { code: 'OTHER', message: 'description_hash is not a text' }),
    ),
  ),
  created('make-invoice.fields', 'sends amount in satoshis', (body) => ({
    ...body,
    amount: Number(body.amount) / 1_000,
  })),
  example(
    'make-invoice.bolt11',
    'creates the invoice for another amount',
    together(
      json(atInvoice, (body) => (body.amount === 101_000 ? { ...body, amount: 100_000 } : body)),
      bodies(atInvoice, (body) => (body.amount === 100_000 ? { ...body, amount: 101_000 } : body)),
    ),
  ),
  example('make-invoice.description', 'leaves the description out of the invoice', (next) => async (call) => {
    if (!atInvoice(call)) return next(call)
    const body = bodyOf(call)
    if (typeof body?.description !== 'string') return next(call)
    const given = await next({ ...call, body: JSON.stringify({ ...body, description: null }) })
    return { ...given, text: JSON.stringify({ ...(JSON.parse(given.text) as Json), description: body.description }) }
  }),
  example(
    'make-invoice.description-hash',
    'ignores the description hash',
    bodies(atInvoice, (body) =>
      String(body.description_hash).length === 64 ? { ...body, description_hash: null } : body,
    ),
  ),
  example(
    'make-invoice.expiry',
    'ignores the expiry',
    bodies(atInvoice, (body) => (body.expiry === 0 ? body : { ...body, expiry: null })),
  ),
  created('make-invoice.created-at', 'sends created_at in milliseconds', (body) => ({
    ...body,
    created_at: Number(body.created_at) * 1_000,
    expires_at: null,
  })),
  example('make-invoice.unique', 'returns the same invoice for the same terms', (next) => {
    const made = new Map<string, Awaited<ReturnType<typeof next>>>()
    return async (call) => {
      if (!atInvoice(call) || !isOf(call, 'alice')) return next(call)
      const key = `${bearerOf(call)} ${call.body}`
      const given = made.get(key) ?? (await next(call))
      made.set(key, given)
      return given
    }
  }),
  created('make-invoice.no-preimage', 'sends the preimage before the payment', (body) => ({
    ...body,
    preimage: 'ab'.repeat(32),
  })),
  example(
    'make-invoice.unknown-parameter',
    'refuses fields that it does not know',
    instead(
      (call) => atInvoice(call) && bodyOf(call)?.conformance === true,
      () => jsonAnswer(400, { code: 'OTHER', message: 'Unknown field' }),
    ),
  ),
  example(
    'make-invoice.bad-amount',
    'accepts an amount that is a string',
    bodies(atInvoice, (body) => (typeof body.amount === 'string' ? { ...body, amount: Number(body.amount) } : body)),
  ),
  example(
    'make-invoice.bad-input',
    'fails on a body that is not JSON',
    answers(atInvoice, (given, call) =>
      given.status === 400 && bodyOf(call) === undefined
        ? jsonAnswer(500, { code: 'INTERNAL', message: 'Internal' })
        : given,
    ),
  ),

  example(
    'lookup-invoice.reply',
    'sends amount in satoshis',
    json(atLookup, (body) => ({ ...body, amount: Number(body.amount) / 1_000 })),
  ),
  example(
    'lookup-invoice.unpaid',
    'shows an unpaid invoice as settled',
    json(atLookup, (body) => ({ ...body, settled_at: body.settled_at ?? 1_800_000_000 })),
  ),
  example(
    'lookup-invoice.unknown',
    'answers an unknown hash with the code OTHER',
    errors(atLookup, (body, { status }) => (status === 404 ? { ...body, code: 'OTHER' } : body)),
  ),
  example(
    'lookup-invoice.malformed',
    'fails on a text that is not a hash',
    answers(at('/invoices/xyz'), () => jsonAnswer(500, { code: 'INTERNAL', message: 'Internal' })),
  ),
  example('lookup-invoice.other-user', "shows another user's invoice", (next) => {
    let alice = ''
    return async (call) => {
      if (isOf(call, 'alice') && bearerOf(call) !== undefined) alice = call.headers.get('authorization') ?? ''
      const given = await next(call)
      if (!atLookup(call) || !isOf(call, 'bob') || given.status !== 404) return given
      const headers = new Headers(call.headers)
      headers.set('authorization', alice)
      return next({ ...call, headers })
    }
  }),
  example(
    'pay-invoice.bad-input',
    'answers an invalid invoice with plain text',
    answers(at('/payments/bolt11'), (given, call) =>
      given.status === 400 && bodyOf(call)?.invoice === 'not an invoice' ? answer(400, 'Bad invoice') : given,
    ),
  ),
]
