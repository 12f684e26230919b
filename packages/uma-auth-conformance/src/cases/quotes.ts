import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkModel, checkRefusal, checkRefused, show } from '../check.ts'
import { queryOf, type ApiRequest, type CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { nowSeconds } from '../jwt.ts'
import { LookupUserModel, QuoteModel, type Quote } from '../models.ts'
import { API, LOOKUP, REASONS, SPEC } from '../sentences.ts'
import { randomHex, type InfoCurrency } from '../session.ts'
import { implementedCase } from './implemented.ts'
import { AMOUNT_MSATS } from './invoices.ts'
import { refuses } from './probes.ts'

const lookup = caseGroup(API, ['lookup-user.reply'])
const quoting = caseGroup(API, ['fetch-quote.reply'])

/** The UMA address of the second user. */
export function receiverOf({ session, client }: CaseContext): Promise<string> {
  return session.addressOf(client, 'second')
}

/** About one hundred satoshis, or the given amount, in this currency and within its bounds. */
export function sendingAmountOf({ min, max, multiplier }: InfoCurrency, msats = AMOUNT_MSATS): number {
  return Math.min(max, Math.max(min, Math.ceil(msats / multiplier)))
}

function lookUp(context: CaseContext, address: string, query = ''): Promise<Reply> {
  return context.api({ path: `/receiver/lud16/${encodeURIComponent(address)}${query}` })
}

export const lookupUserCases: readonly ConformanceCase[] = [
  implementedCase('lookup_user'),
  lookup.gateway('lookup-user.reply', 'the gateway can read GET /receiver/lud16/{receiver_address}', {
    source: [
      LOOKUP,
      'The gateway checks each answer against a strict model. It sends the app an error when the answer does not fit.',
    ],
    advice: 'Answer with {"currencies": [CurrencyPreference, …]}. min and max are integers of the smallest unit.',
    dependsOn: ['lookup-user.implemented'],
    needs: ['second-user'],
    run: async (context) =>
      checkModel(
        await lookUp(context, await receiverOf(context)),
        LookupUserModel,
        'GET /receiver/lud16/{receiver_address}',
      ),
  }),
  lookup.must('lookup-user.currencies', 'the answer lists what the receiver accepts', {
    source: SPEC.receiverCurrencies,
    advice: 'Answer with the array currencies, in the order of the receiver.',
    async run(context) {
      const { currencies } = checkModel(await lookUp(context, await receiverOf(context)), LookupUserModel, 'The lookup')
      check(Array.isArray(currencies), 'currencies is missing.')
      for (const { currency, min, max } of currencies)
        check(min <= max, `${currency.code} has min ${min} and max ${max}.`)
    },
  }),
  lookup.gateway('lookup-user.base-currency', 'accepts base_sending_currency_code', {
    source: 'The gateway sends base_sending_currency_code when the app names one.',
    advice: 'Answer with multipliers in the smallest unit of that currency.',
    async run(context) {
      const query = `?${queryOf({ base_sending_currency_code: (await context.defaultCurrency()).code })}`
      checkModel(
        await lookUp(context, await receiverOf(context), query),
        LookupUserModel,
        'The lookup with a base currency',
      )
    },
  }),
  lookup.gateway('lookup-user.unknown', 'answers NOT_FOUND to a user that does not exist', {
    source: REASONS.passedOn,
    advice: 'Answer 404 with {"code":"NOT_FOUND","message": …}.',
    async run(context) {
      const address = (await receiverOf(context)).replace(/^\$[^@]+/, `$conformance${randomHex(3)}`)
      checkRefusal(await lookUp(context, address), `The lookup of ${address}`, ['NOT_FOUND'])
    },
  }),
  lookup.should('lookup-user.malformed', 'refuses a text that is not an address', {
    source: REASONS.wrongRequest,
    advice: 'Answer 400 or 404 to everything that is not user@domain.',
    run: refuses(
      'The lookup of',
      ['x', '$a@', '@b', '$a@b@c', `$${'a'.repeat(300)}@bank.example`],
      (context, address) => lookUp(context, address),
    ),
  }),
]

interface QuoteRequest {
  readonly side?: 'sending' | 'receiving'
  readonly amount?: number | string
  readonly address?: string
  readonly sendingCode?: string
}

async function requestQuote(context: CaseContext, given: QuoteRequest = {}): Promise<Reply> {
  const sending = await context.defaultCurrency()
  const receiving = await context.defaultCurrency('second')
  const side = given.side ?? 'sending'
  const amount = given.amount ?? sendingAmountOf(side === 'sending' ? sending : receiving)
  const query = queryOf({
    sending_currency_code: given.sendingCode ?? sending.code,
    receiving_currency_code: receiving.code,
    locked_currency_amount: amount,
    locked_currency_side: side,
    receiver_address: given.address ?? (await receiverOf(context)),
  })
  return context.api({ path: `/quote/lud16?${query}`, isPayment: true })
}

/** A new quote of the first user, to the second. */
export async function fetchQuote(context: CaseContext, given: QuoteRequest = {}): Promise<Quote> {
  return checkModel(await requestQuote(context, given), QuoteModel, 'GET /quote/lud16')
}

export function executeQuote(
  context: CaseContext,
  hash: string,
  { budgetCode = null, ...rest }: Pick<ApiRequest, 'token' | 'headers'> & { readonly budgetCode?: string | null } = {},
): Promise<Reply> {
  const body = { budget_currency_code: budgetCode }
  const path = `/quote/${hash}`
  return context.api({ method: 'POST', path, body, isPayment: true, ...rest })
}

export const fetchQuoteCases: readonly ConformanceCase[] = [
  implementedCase('fetch_quote'),
  quoting.gateway('fetch-quote.reply', 'the gateway can read GET /quote/lud16', {
    source: REASONS.model,
    advice: 'Answer with all nine fields of a Quote. Amounts are integers above 0; fees may be 0.',
    dependsOn: ['fetch-quote.implemented', 'info.currencies'],
    needs: ['second-user'],
    run: (context) => fetchQuote(context),
  }),
  quoting.should(
    'fetch-quote.locked-sending',
    'with the sending side locked, the quote sends that amount and no more',
    {
      source: REASONS.locked,
      advice: 'Set total_sending_amount to the locked amount, fees included.',
      async run(context) {
        const amount = sendingAmountOf(await context.defaultCurrency())
        const { total_sending_amount: total } = await fetchQuote(context, { amount })
        check(total <= amount, `The quote sends ${total}, and ${amount} was locked.`)
      },
    },
  ),
  quoting.should('fetch-quote.locked-receiving', 'with the receiving side locked, the receiver gets that amount', {
    source: REASONS.locked,
    advice: 'Set total_receiving_amount to the locked amount.',
    async run(context) {
      const amount = sendingAmountOf(await context.defaultCurrency('second'))
      const { total_receiving_amount: total } = await fetchQuote(context, { side: 'receiving', amount })
      check(total === amount, `The receiver gets ${total}, and ${amount} was locked.`)
    },
  }),
  quoting.should('fetch-quote.sum', 'the amounts of a quote match its multiplier and its fees', {
    source: 'total_sending_amount is total_receiving_amount times multiplier, plus the fees, rounded up.',
    advice: 'Set multiplier to smallest sending units per smallest receiving unit.',
    async run(context) {
      const amount = sendingAmountOf(await context.defaultCurrency('second'), 50 * AMOUNT_MSATS)
      const quote = await fetchQuote(context, { side: 'receiving', amount })
      const sum = quote.total_receiving_amount * quote.multiplier + quote.fees
      const off = Math.abs(sum - quote.total_sending_amount)
      check(
        off <= Math.max(2, quote.multiplier, sum * 0.005),
        `${quote.total_receiving_amount} × ${quote.multiplier} + ${quote.fees} is not ${quote.total_sending_amount}.`,
      )
    },
  }),
  quoting.gateway('fetch-quote.unique', 'two quotes have different payment hashes', {
    source: 'The gateway stores quotes by payment_hash. A repeated hash leaves the app without an answer.',
    advice: 'Request a new invoice for each quote.',
    async run(context) {
      const [first, second] = [await fetchQuote(context), await fetchQuote(context)]
      check(first.payment_hash !== second.payment_hash, 'Both quotes have the same payment hash.')
    },
  }),
  quoting.should('fetch-quote.times', 'created_at is now, and expires_at is later', {
    source: 'Apps show how long the price holds.',
    advice: 'Send seconds since 1970.',
    async run(context) {
      const { created_at: created, expires_at: expires } = await fetchQuote(context)
      check(Math.abs(created - nowSeconds()) <= 60, `created_at is ${created}, and now is ${nowSeconds()}.`)
      check(expires > created, `expires_at is ${expires}, which is not after created_at ${created}.`)
      check(expires < created + 366 * 86_400, `expires_at is ${expires}, which is not in seconds.`)
    },
  }),
  quoting.gateway('fetch-quote.unknown', 'refuses a receiver that does not exist, with a code and a message', {
    source: REASONS.passedOn,
    advice: 'Answer 404 with {"code":"NOT_FOUND","message": …}.',
    async run(context) {
      const address = (await receiverOf(context)).replace(/^\$[^@]+/, `$conformance${randomHex(3)}`)
      checkRefusal(await requestQuote(context, { address }), `A quote for ${address}`)
    },
  }),
  quoting.should('fetch-quote.bounds', 'refuses an amount above the max of its currency', {
    source: ['Resources and their fields, CurrencyPreference', 'max is the largest amount of one payment.'],
    advice: 'Compare amounts with the bounds that GET /info names. Answer 400 outside of them.',
    dependsOn: ['fetch-quote.reply', 'info.bounds'],
    async run(context) {
      const { code, max } = await context.defaultCurrency()
      checkRefused(
        await requestQuote(context, { amount: max + 1 }),
        `A quote for ${max + 1} ${code}, where max is ${max},`,
      )
    },
  }),
  quoting.should('fetch-quote.bad-input', 'refuses a wrong amount, side or currency', {
    source: REASONS.wrongRequest,
    advice: 'Answer 400 with {"code":"OTHER","message": …}.',
    async run(context) {
      for (const wrong of [{ amount: 0 }, { amount: -1 }, { amount: '1.5' }, { sendingCode: 'ZZZ' }])
        checkRefused(await requestQuote(context, wrong), `A quote with ${show(wrong)}`)
      checkRefused(await context.api({ path: '/quote/lud16' }), 'A quote without parameters')
    },
  }),
]
