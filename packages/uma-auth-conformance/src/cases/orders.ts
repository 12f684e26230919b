import { check, checkModel, checkSuccess, fieldsOf, isRecord } from '../check.ts'
import { queryOf, type ApiRequest, type CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { BalanceModel, PaymentModel, QuoteModel, type Quote, type Transaction } from '../models.ts'
import { randomHex } from '../session.ts'
import type { UserName } from '../sign-in.ts'
import { Failure, NotApplicable, NotRun, type Need } from '../verdict.ts'
import { makeInvoice, type InvoiceRequest } from './invoices.ts'
import { executeQuote, fetchQuote, receiverOf, sendingAmountOf } from './quotes.ts'

/** Five thousand satoshis: fees of a few percent are more than a rounding error. */
export const LARGE_MSATS = 5_000_000

/** Balances by currency code. */
export type Balances = ReadonlyMap<string, number>

export async function balancesOf(context: CaseContext, user: UserName = 'first'): Promise<Balances> {
  const commands = await context.session.commands(context.client)
  if (!commands.includes('get_balance')) throw new NotApplicable('the VASP does not advertise get_balance')
  const token = await context.connectionToken(user)
  const balances = new Map<string, number>()
  for (const { code } of await context.currencies(user)) {
    const reply = await context.api({ path: `/balance?${queryOf({ currency_code: code })}`, token })
    balances.set(code, checkModel(reply, BalanceModel, `GET /balance in ${code}`).balance)
  }
  return balances
}

/** An amount in the smallest unit of a currency. */
export interface Amount {
  readonly code: string
  readonly amount: number
}

/** Currencies whose balance changed, with the amount that left. */
export function debitsOf(before: Balances, after: Balances): Amount[] {
  return [...before].flatMap(([code, amount]) => {
    const left = amount - (after.get(code) ?? 0)
    return left === 0 ? [] : [{ code, amount: left }]
  })
}

/** @throws Failure when money has left the first user's wallets since. */
export async function checkUnchanged(context: CaseContext, before: Balances, what: string): Promise<void> {
  const debits = debitsOf(before, await balancesOf(context))
  check(debits.length === 0, `${what} moved ${debits.map(({ code, amount }) => `${amount} ${code}`).join(' and ')}.`)
}

/** A new invoice of the second user. @throws NotRun when there is none: another case reports why. */
export async function invoiceOfSecond(context: CaseContext, given: InvoiceRequest = {}): Promise<Transaction> {
  if (context.session.options.signIn?.hasSecondUser !== true) throw new NotRun('needs a second user to sign in')
  try {
    return await makeInvoice(context, given, 'second')
  } catch (error) {
    if (error instanceof Failure) throw new NotRun(`depends on make-invoice.reply: ${error.message}`)
    throw error
  }
}

/** A payment to the second user. Sending it again repeats the same request. */
export interface Order {
  /** The amount that the request names, in its currency. */
  readonly cost: Amount
  readonly send: (budgetCode: string | null, headers?: ApiRequest['headers']) => Promise<Reply>
  /** What the first user was quoted; undefined before an answer that brings its own quote. */
  readonly quote?: Quote
  /** Of a keysend. */
  readonly preimage?: string
}

export type Kind = 'pay-invoice' | 'keysend' | 'execute-quote' | 'pay-to-address'

/** What the cases of a kind of payment need besides its command. */
export const NEEDED: Readonly<Record<Kind, readonly Need[]>> = {
  'pay-invoice': ['second-user', 'get_balance', 'make_invoice'],
  keysend: ['second-user', 'get_balance'],
  'execute-quote': ['second-user', 'get_balance', 'fetch_quote'],
  'pay-to-address': ['second-user', 'get_balance'],
}

/** Prepares a new payment of each kind. */
export const ORDERS: Readonly<Record<Kind, (context: CaseContext, msats: number) => Promise<Order>>> = {
  async 'pay-invoice'(context, amount) {
    const { invoice } = await invoiceOfSecond(context, { amount })
    return { cost: satsOf(amount), send: post(context, '/payments/bolt11', { invoice, amount: null }) }
  },
  async keysend(context, amount) {
    const { pubkey } = fieldsOf(await context.session.info(context.client, 'second'))
    const address = await receiverOf(context)
    // The record that names a wallet behind a node, as apps send it (bLIP-10 and others): the name in hex.
    const value = Buffer.from(address.slice(1, address.indexOf('@'))).toString('hex')
    const preimage = randomHex(32)
    const body = { amount, pubkey, preimage, tlv_records: [{ type: 696_969, value }] }
    return { preimage, cost: satsOf(amount), send: post(context, '/payments/keysend', body) }
  },
  async 'execute-quote'(context, msats) {
    const currency = await context.defaultCurrency()
    const cost = { code: currency.code, amount: sendingAmountOf(currency, msats) }
    const quote = await fetchQuote(context, { amount: cost.amount })
    return {
      quote,
      cost,
      send: (budgetCode, headers = {}) => executeQuote(context, quote.payment_hash, { budgetCode, headers }),
    }
  },
  async 'pay-to-address'(context, msats) {
    const currency = await context.defaultCurrency()
    const cost = { code: currency.code, amount: sendingAmountOf(currency, msats) }
    const body = {
      receiver_address: await receiverOf(context),
      sending_currency_code: cost.code,
      sending_currency_amount: cost.amount,
      receiving_currency_code: null,
    }
    return { cost, send: post(context, '/payments/lud16', body) }
  },
}

const satsOf = (msats: number): Amount => ({ code: 'SAT', amount: msats / 1_000 })

function post(context: CaseContext, path: string, body: object): Order['send'] {
  return (code, headers = {}) =>
    context.api({ method: 'POST', path, body: { ...body, budget_currency_code: code }, headers, isPayment: true })
}

/** What one or more sendings of an order moved. */
export interface Movement {
  /** The successful answers. */
  readonly paid: readonly Reply[]
  /** Number of different preimages in these answers: so many payments were made. */
  readonly count: number
  readonly debit: Amount
  /** What reached the second user; undefined unless exactly one balance changed. */
  readonly credit: Amount | undefined
}

/** Sends an order, several times at the same instant if asked, and compares the balances of both users. */
export async function movementOf(
  context: CaseContext,
  { send }: Order,
  { times = 1, budgetCode }: { readonly times?: number; readonly budgetCode?: string } = {},
): Promise<Movement> {
  const code = budgetCode ?? (await context.defaultCurrency()).code
  const [payer, payee] = [await balancesOf(context), await balancesOf(context, 'second')]
  const replies = await Promise.all(Array.from({ length: times }, () => send(code)))
  const paid = replies.filter(({ status }) => status < 300)
  const [first] = replies
  if (paid.length === 0 && first !== undefined) {
    if (fieldsOf(first).code === 'INSUFFICIENT_BALANCE')
      throw new NotRun('needs more money in the wallets of the first user')
    checkSuccess(first, 'The payment')
  }
  const [debit, ...more] = debitsOf(payer, await balancesOf(context))
  check(debit !== undefined && more.length === 0, 'The payment did not change exactly one balance of the first user.')
  const credits = debitsOf(payee, await balancesOf(context, 'second')).map((each) => ({
    ...each,
    amount: -each.amount,
  }))
  const count = new Set(paid.map((reply) => fieldsOf(reply).preimage)).size
  return { paid, count, debit, credit: credits.length === 1 ? credits[0] : undefined }
}

/** The quote of an order or of its answer; undefined for payments without one. */
export function quoteOf({ quote }: Order, reply: Reply | undefined): Quote | undefined {
  const given = reply === undefined ? undefined : fieldsOf(reply).quote
  return quote ?? (isRecord(given) ? QuoteModel.safeParse(given).data : undefined)
}

export function totalOf(reply: Reply | undefined, what: string): number | undefined {
  check(reply !== undefined, `${what} was not answered.`)
  return checkModel(reply, PaymentModel, what).total_budget_currency_amount ?? undefined
}

/** Millisatoshis, by the multipliers of GET /info. */
export async function msatsOf(context: CaseContext, { code, amount }: Amount, user: UserName): Promise<number> {
  const currency = (await context.currencies(user)).find((each) => each.code === code)
  return amount * (code === 'SAT' || currency === undefined ? 1_000 : currency.multiplier)
}
