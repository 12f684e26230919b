import * as z from 'zod'
import type { CommandMethods, Currency, Quote, ReceiverCurrency, Slot } from './backend.ts'
import { COMMANDS, type BackendMethod, type Command } from './commands.ts'
import { FITTED, fitting, type Endpoint, type ReplyContext } from './endpoint.ts'
import { WalletError } from './errors.ts'
import { decodedAgain } from './input.ts'
import { quoteFields, toPaymentReply, toTransactionReply, toWireInteger } from './replies.ts'
import {
  createSchemas,
  IdempotencyHeaders,
  LookupUserParams,
  PaymentHashParams,
  ReceiverCurrencyPreference,
} from './schemas.ts'
import type { TokenUse } from './tokens.ts'
import { fitPage } from './transaction-page.ts'

export interface EndpointOptions<Code extends string> {
  /** Name of the VASP. */
  readonly name: string
  /** Empty where they are not known yet. */
  readonly currencies: readonly Currency<Code>[]
}

const STILL_PENDING = 'The payment is pending: its outcome is not known yet'
const UNKNOWN_RECEIVER = 'The receiver is not known at the address'
const NO_UMA = 'The address belongs to another VASP, which this VASP cannot contact'
const DEFAULT_LIMIT = 20

/** A currency with its price and limits, in the wire format. */
function toPreference<C>(currency: C, priced: Pick<ReceiverCurrency, 'multiplier' | 'min' | 'max'>) {
  return { currency, multiplier: priced.multiplier, min: toWireInteger(priced.min), max: toWireInteger(priced.max) }
}

/** All endpoints by the backend's method, for a VASP with these currencies. */
export function createEndpoints<Code extends string>({
  name,
  currencies,
}: EndpointOptions<Code>): Readonly<Record<BackendMethod, Endpoint>> {
  const schemas = createSchemas(currencies.map(({ code }) => code))
  const byCode = new Map(currencies.map((currency) => [currency.code, currency]))
  const bitcoin = currencies.find(({ code }) => code === 'SAT')?.code

  type Methods = CommandMethods<unknown, Code, Slot>
  type Input<M extends BackendMethod> = Parameters<NonNullable<Methods[M]>>[1]
  type Result<M extends BackendMethod> = Awaited<ReturnType<NonNullable<Methods[M]>>>

  function endpoint<
    M extends BackendMethod,
    Reply extends z.ZodType,
    Params extends z.ZodType = z.ZodUndefined,
    Query extends z.ZodType = z.ZodUndefined,
    Body extends z.ZodType = z.ZodUndefined,
  >(
    method: M,
    given: {
      readonly pays?: boolean
      readonly takesKey?: boolean
      readonly namesCurrency?: boolean
      readonly accepts?: readonly TokenUse[]
      readonly params?: Params
      readonly query?: Query
      readonly body?: Body
      readonly headers?: z.ZodObject
      readonly reply: Reply
      readonly check?: z.ZodType
      readonly refusals?: Endpoint['refusals']
      toInput(request: {
        readonly params: z.output<Params>
        readonly query: z.output<Query>
        readonly body: z.output<Body>
      }): Input<M>
      toReply(result: Result<M>, context: ReplyContext): z.input<Reply>
    },
  ): Endpoint {
    const command = COMMANDS.find(({ backendMethod }) => backendMethod === method) as Command
    const common = {
      pays: false,
      takesKey: false,
      namesCurrency: true,
      accepts: ['connection'],
      params: undefined,
      query: undefined,
      body: undefined,
      headers: undefined,
    }
    const queryNames = given.query instanceof z.ZodObject ? Object.keys(given.query.shape) : []
    return { ...common, refusals: {}, check: given.reply, ...given, queryNames, command } as unknown as Endpoint
  }

  function currencyOf(code: Code): Currency<Code> {
    const currency = byCode.get(code)
    if (currency === undefined) throw new Error(`the backend answered in ${code}, which is not one of the currencies`)
    const { symbol, name: fullName, decimals } = currency
    return { code, symbol, name: fullName, decimals }
  }

  function toQuoteReply(quote: Quote<Code>): z.input<typeof schemas.QuoteReply> {
    return { sending_currency: currencyOf(quote.sendingCurrencyCode), ...quoteFields(quote) }
  }

  return {
    getInfo: endpoint('getInfo', {
      accepts: ['login', 'connection'],
      query: z.object({}),
      reply: schemas.InfoReply,
      check: schemas.InfoReply.extend({ currencies: FITTED.min(1) }),
      toInput: () => ({}),
      toReply: (info, context) => ({
        alias: info.alias ?? name,
        color: info.color ?? '#000000',
        pubkey: info.pubkey,
        network: info.network,
        methods: [...context.commands],
        lud16: info.lud16 ?? context.claims.address,
        currencies: fitting(info.currencies, context, {
          reply: schemas.CurrencyPreference,
          nameOf: (offer) => `currency ${offer.code}`,
          convert: (offer) => toPreference(currencyOf(offer.code), offer),
        }),
      }),
    }),
    estimateBudget: endpoint('estimateBudget', {
      query: schemas.BudgetEstimateQuery,
      reply: schemas.BudgetEstimateReply,
      toInput: ({ query }) => ({
        sendingCurrencyCode: query.sending_currency_code,
        sendingAmount: query.sending_currency_amount,
        budgetCurrencyCode: query.budget_currency_code,
      }),
      toReply: ({ budgetAmount }) => ({ estimated_budget_currency_amount: toWireInteger(budgetAmount) }),
    }),
    getBalance: endpoint('getBalance', {
      query: schemas.BalanceQuery,
      reply: schemas.BalanceReply,
      toInput: ({ query }) => ({ currencyCode: query.currency_code }),
      toReply: ({ amount, currencyCode }, { claims, leftOut }) => ({
        balance: toWireInteger(
          available(amount, () =>
            leftOut(`the overdraft of user ${claims.userId}`, new Error('the balance is negative')),
          ),
        ),
        ...(currencyCode === undefined ? {} : { currency: currencyOf(currencyCode) }),
      }),
    }),
    makeInvoice: endpoint('makeInvoice', {
      namesCurrency: false,
      body: schemas.MakeInvoiceBody,
      takesKey: true,
      reply: schemas.TransactionReply,
      toInput: ({ body }) => ({
        amountMsats: body.amount,
        description: body.description ?? undefined,
        descriptionHash: body.description_hash ?? undefined,
        expirySeconds: body.expiry ?? undefined,
      }),
      toReply: toTransactionReply,
    }),
    lookupInvoice: endpoint('lookupInvoice', {
      namesCurrency: false,
      params: PaymentHashParams,
      reply: schemas.TransactionReply,
      toInput: ({ params }) => ({ paymentHash: params.payment_hash }),
      toReply: (transaction) => {
        if (transaction === undefined) throw new WalletError('NOT_FOUND', 'No invoice or payment has this hash.')
        return toTransactionReply(transaction)
      },
    }),
    listTransactions: endpoint('listTransactions', {
      namesCurrency: false,
      query: schemas.TransactionsQuery,
      reply: schemas.TransactionsReply,
      check: schemas.TransactionsReply.extend({ transactions: FITTED }),
      toInput: ({ query }) => ({
        fromSeconds: query.from,
        untilSeconds: query.until,
        limit: query.limit ?? DEFAULT_LIMIT,
        offset: query.offset ?? 0,
        unpaid: query.unpaid === 'true',
        type: query.type,
      }),
      toReply: (transactions, context) => ({
        transactions: fitPage(
          fitting(transactions, context, {
            reply: schemas.TransactionReply,
            nameOf: (transaction) => `transaction ${transaction.paymentHash}`,
            convert: toTransactionReply,
          }),
        ),
      }),
    }),
    payInvoice: endpoint('payInvoice', {
      pays: true,
      body: schemas.PayInvoiceBody,
      takesKey: true,
      reply: schemas.PaymentReply,
      refusals: { '504': STILL_PENDING },
      toInput: ({ body }) => ({
        invoice: body.invoice,
        amountMsats: body.amount ?? undefined,
        budgetCurrencyCode: body.budget_currency_code ?? bitcoin,
      }),
      toReply: toPaymentReply,
    }),
    payKeysend: endpoint('payKeysend', {
      pays: true,
      body: schemas.PayKeysendBody,
      headers: IdempotencyHeaders,
      takesKey: true,
      reply: schemas.PaymentReply,
      refusals: { '404': 'The receiver that the records name is not known', '504': STILL_PENDING },
      toInput: ({ body }) => ({
        amountMsats: body.amount,
        pubkey: body.pubkey,
        preimage: body.preimage ?? undefined,
        records: body.records,
        budgetCurrencyCode: body.budget_currency_code ?? bitcoin,
      }),
      toReply: toPaymentReply,
    }),
    lookupUser: endpoint('lookupUser', {
      params: LookupUserParams,
      query: schemas.LookupUserQuery,
      reply: schemas.LookupUserReply,
      check: schemas.LookupUserReply.extend({ currencies: FITTED }),
      refusals: { '501': NO_UMA },
      toInput: ({ params, query }) => ({
        receiverAddress: decodedAgain(params.receiver_address),
        baseSendingCurrencyCode: query.base_sending_currency_code,
      }),
      toReply: (receiverCurrencies, context) => ({
        currencies: fitting(receiverCurrencies, context, {
          reply: ReceiverCurrencyPreference,
          nameOf: ({ code }) => `receiver currency ${code}`,
          convert: ({ code, symbol, name: fullName, decimals, ...priced }) =>
            toPreference({ code, symbol, name: fullName, decimals }, priced),
        }),
      }),
    }),
    fetchQuote: endpoint('fetchQuote', {
      query: schemas.FetchQuoteQuery,
      takesKey: true,
      reply: schemas.QuoteReply,
      refusals: { '404': UNKNOWN_RECEIVER, '501': NO_UMA },
      toInput: ({ query }) => ({
        sendingCurrencyCode: query.sending_currency_code,
        receivingCurrencyCode: query.receiving_currency_code,
        lockedAmount: query.locked_currency_amount,
        lockedSide: query.locked_currency_side,
        receiverAddress: query.receiver_address,
      }),
      toReply: toQuoteReply,
    }),
    executeQuote: endpoint('executeQuote', {
      pays: true,
      params: PaymentHashParams,
      body: schemas.ExecuteQuoteBody,
      takesKey: true,
      reply: schemas.PaymentReply,
      refusals: { '504': STILL_PENDING },
      toInput: ({ params, body }) => ({
        paymentHash: params.payment_hash,
        budgetCurrencyCode: body.budget_currency_code ?? undefined,
      }),
      toReply: toPaymentReply,
    }),
    payToAddress: endpoint('payToAddress', {
      pays: true,
      body: schemas.PayToAddressBody,
      headers: IdempotencyHeaders,
      takesKey: true,
      reply: schemas.PayToAddressReply,
      refusals: { '404': UNKNOWN_RECEIVER, '501': NO_UMA, '504': STILL_PENDING },
      toInput: ({ body }) => ({
        receiverAddress: body.receiver_address,
        sendingCurrencyCode: body.sending_currency_code,
        sendingAmount: BigInt(body.sending_currency_amount),
        receivingCurrencyCode: body.receiving_currency_code ?? undefined,
        budgetCurrencyCode: body.budget_currency_code ?? body.sending_currency_code,
      }),
      toReply: ({ quote, ...payment }) => ({ ...toPaymentReply(payment), quote: toQuoteReply(quote) }),
    }),
  }
}

/** An overdraft is no available money. */
function available(amount: bigint, onOverdraft: () => void): bigint {
  if (typeof amount !== 'bigint' || amount >= 0n) return amount
  onOverdraft()
  return 0n
}
