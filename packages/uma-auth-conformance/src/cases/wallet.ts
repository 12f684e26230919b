import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkModel, checkRefused, checkSuccess, fieldsOf, show } from '../check.ts'
import { queryOf, type CaseContext } from '../context.ts'
import { decodeToken } from '../jwt.ts'
import { BalanceModel, EstimateModel, InfoModel } from '../models.ts'
import { API, ESTIMATES, PAYLOADS, REASONS, SPEC } from '../sentences.ts'
import { COMMANDS, NotApplicable } from '../verdict.ts'
import { implementedCase, requiredCase } from './implemented.ts'
import { refuses } from './probes.ts'

const info = caseGroup(API, ['info.reply'])
const budget = caseGroup(PAYLOADS, ['budget.reply'])
const balance = caseGroup(API, ['balance.reply'])

/** Pairs of currencies to estimate; more would make the run long. */
const MAX_PAIRS = 12
/** How far an estimate may be from the rate, fees included. */
const RATE_MARGIN = 0.25
const CURRENCY_PREFERENCE = 'Resources and their fields, CurrencyPreference'

export const infoCases: readonly ConformanceCase[] = [
  implementedCase('get_info'),
  requiredCase,
  info.gateway('info.reply', 'the gateway can read GET /info', {
    source: REASONS.model,
    advice:
      'Answer with pubkey, network (mainnet, testnet, signet or regtest), methods and currencies. Send integers without a decimal point.',
    dependsOn: ['info.implemented'],
    run: async ({ session, client }) => checkModel(await session.info(client), InfoModel, 'GET /info'),
  }),
  info.must('info.login-token', 'GET /info accepts the login token', {
    source: SPEC.loginForInfo,
    advice: 'Accept both kinds of token at GET /info.',
    async run(context) {
      const { status } = await context.api({ path: '/info', token: await context.loginToken() })
      check(status === 200, `GET /info answered ${status} to a login token.`)
    },
  }),
  info.gateway('info.currencies', 'GET /info names at least one currency', {
    source: 'The gateway creates no connection (404) without a currency.',
    advice: "List the user's currencies, the default one first.",
    async run(context) {
      const { currencies } = fieldsOf(await context.session.info(context.client))
      check(Array.isArray(currencies) && currencies.length > 0, `currencies is ${show(currencies)}.`)
    },
  }),
  info.gateway('info.currency-codes', 'currency codes have three characters at most and appear once', {
    source: [
      'Resources and their fields, Currency',
      'The gateway stores currency codes in columns of three characters. Its code for bitcoin is SAT.',
    ],
    advice: 'Use ISO 4217 codes, and SAT for bitcoin in whole satoshis.',
    dependsOn: ['info.currencies'],
    async run(context) {
      const codes = (await context.currencies()).map(({ code }) => code)
      const long = codes.filter((code) => code.length > 3 || code === 'BTC')
      check(long.length === 0, `The gateway cannot store ${long.join(', ')}.`)
      check(new Set(codes).size === codes.length, `A currency appears twice: ${codes.join(', ')}.`)
    },
  }),
  info.should('info.bounds', 'min is not above max in any currency of GET /info', {
    source: [CURRENCY_PREFERENCE, 'With min above max, no amount can be sent.'],
    advice: 'Set min and max in the smallest unit of the currency.',
    dependsOn: ['info.currencies'],
    async run(context) {
      for (const { code, min, max } of await context.currencies())
        check(min <= max, `${code} has min ${min} and max ${max}.`)
    },
  }),
  info.should('info.multiplier', 'the multiplier of GET /info is in millisatoshis per smallest unit', {
    source: [CURRENCY_PREFERENCE, 'A multiplier in another unit makes every price wrong by a factor.'],
    advice: 'Set multiplier to the millisatoshis of one smallest unit: 1000 for SAT.',
    dependsOn: ['info.currency-codes', 'budget.reply'],
    async run(context) {
      for (const { code, multiplier } of await context.currencies()) {
        const sats = 1_000_000
        const wanted =
          code === 'SAT' ? 1_000 : (sats * 1_000) / (await estimateOf(context, { from: 'SAT', amount: sats, to: code }))
        check(
          Math.abs(multiplier / wanted - 1) <= (code === 'SAT' ? 0 : RATE_MARGIN),
          `The multiplier of ${code} is ${multiplier}, and GET /budget_estimate says about ${wanted.toPrecision(4)}.`,
        )
      }
    },
  }),
  info.should('info.methods', 'the methods of GET /info are names of commands', {
    source: [
      'Gateway configuration that points at the service',
      'Apps compare the methods with the names of VASP_SUPPORTED_COMMANDS.',
    ],
    advice: `Use these names: ${COMMANDS.join(', ')}.`,
    async run(context) {
      const { methods } = fieldsOf(await context.session.info(context.client))
      const unknown = (Array.isArray(methods) ? methods : []).filter(
        (name) => !(COMMANDS as readonly unknown[]).includes(name),
      )
      check(unknown.length === 0, `The methods name ${show(unknown)}.`)
    },
  }),
  info.should('info.address', 'lud16 of GET /info is the address of the token', {
    source: 'The app shows lud16 as the address of the wallet.',
    advice: "Set lud16 to the user's UMA address.",
    dependsOn: ['info.reply', 'connection-token.address'],
    async run(context) {
      const { lud16 } = fieldsOf(await context.session.info(context.client))
      const address = decodeToken(await context.connectionToken())?.claims.address
      const plain = (text: unknown): string => String(text).replace(/^\$/, '')
      check(lud16 == null || plain(lud16) === plain(address), `lud16 is ${show(lud16)} instead of ${show(address)}.`)
    },
  }),
]

interface Estimate {
  readonly from: string
  readonly amount: number | string
  readonly to: string
}

function estimatePath({ from, amount, to }: Estimate): string {
  const query = { sending_currency_code: from, sending_currency_amount: amount, budget_currency_code: to }
  return `/budget_estimate?${queryOf(query)}`
}

export async function estimateOf(context: CaseContext, given: Estimate): Promise<number> {
  const reply = await context.api({ path: estimatePath(given) })
  const what = `GET ${estimatePath(given)}`
  return checkModel(reply, EstimateModel, what).estimated_budget_currency_amount
}

export const budgetCases: readonly ConformanceCase[] = [
  implementedCase('get_budget'),
  budget.gateway('budget.reply', 'the gateway can read GET /budget_estimate', {
    source:
      'The gateway checks each answer against a strict model. It sends the app an error when the answer does not fit.',
    advice:
      'Answer with {"estimated_budget_currency_amount": integer}, in the smallest unit of the budget currency, at least 1.',
    dependsOn: ['budget.implemented', 'info.reply'],
    async run(context) {
      const { code } = await context.defaultCurrency()
      await estimateOf(context, { from: code, amount: 1_000, to: code })
    },
  }),
  budget.gateway('budget.every-direction', 'estimates between each pair of currencies of GET /info', {
    source: [
      ESTIMATES,
      'The gateway asks before each payment in another currency, and from each budget currency to SAT.',
    ],
    advice: 'Convert in every direction, and to and from SAT.',
    dependsOn: ['budget.reply', 'info.currency-codes'],
    async run(context) {
      const codes = (await context.currencies()).map(({ code }) => code)
      // Apps pay Lightning invoices in SAT whether or not the user has a wallet in it.
      const all = [...new Set([...codes, 'SAT'])]
      const pairs = all.flatMap((from) => all.filter((to) => to !== from).map((to) => ({ from, to })))
      if (pairs.length === 0) throw new NotApplicable('the VASP has only one currency')
      for (const { from, to } of pairs.slice(0, MAX_PAIRS)) await estimateOf(context, { from, amount: 10_000, to })
    },
  }),
  budget.should('budget.same-currency', 'an estimate in the same currency is not below the amount', {
    source: [ESTIMATES, 'An estimate below the cost lets a payment exceed the budget.'],
    advice: 'Answer with the amount plus the maximum fee.',
    async run(context) {
      const { code } = await context.defaultCurrency()
      const cost = await estimateOf(context, { from: code, amount: 1_000, to: code })
      check(cost >= 1_000, `The estimate of 1000 ${code} is ${cost} ${code}.`)
    },
  }),
  budget.gateway('budget.smallest', 'the estimate of one unit is at least 1', {
    source: 'The gateway refuses an estimate of 0.',
    advice: 'Round up.',
    dependsOn: ['budget.reply', 'info.currency-codes'],
    async run(context) {
      for (const { code } of await context.currencies()) await estimateOf(context, { from: 'SAT', amount: 1, to: code })
    },
  }),
  budget.should('budget.grows', 'the estimate grows with the amount', {
    source: 'The estimate is the cost of this amount.',
    advice: 'Read sending_currency_amount from the query.',
    async run(context) {
      const { code } = await context.defaultCurrency()
      const small = await estimateOf(context, { from: code, amount: 1_000, to: code })
      const large = await estimateOf(context, { from: code, amount: 100_000, to: code })
      check(large > small, `1000 ${code} are estimated at ${small}, and 100000 at ${large}.`)
    },
  }),
  budget.should('budget.bad-amount', 'refuses amounts that are not positive integers', {
    source: 'An amount is an integer number of smallest units.',
    advice: 'Accept only digits, with a value of 1 or more. Answer 400 to everything else.',
    run: refuses('The amount', ['0', '-1', '1.5', 'abc', '1e3', '', '9'.repeat(30)], async (context, amount) => {
      const { code } = await context.defaultCurrency()
      return context.api({ path: estimatePath({ from: code, amount, to: code }) })
    }),
  }),
  budget.should('budget.unknown-currency', 'refuses a currency that it does not know', {
    source: 'Without a rate there is no estimate.',
    advice: 'Answer 400 to codes that you have no rate for.',
    async run(context) {
      const { code } = await context.defaultCurrency()
      for (const unknown of ['ZZZ', '__proto__'])
        for (const [from, to] of [[code, unknown] as const, [unknown, code] as const])
          checkRefused(
            await context.api({ path: estimatePath({ from, amount: 100, to }) }),
            `An estimate from ${from} to ${to}`,
          )
    },
  }),
]

export const balanceCases: readonly ConformanceCase[] = [
  implementedCase('get_balance'),
  balance.gateway('balance.reply', 'the gateway can read GET /balance', {
    source: REASONS.model,
    advice: 'Answer with {"balance": number, "currency": Currency}, in the smallest unit of the currency.',
    dependsOn: ['balance.implemented'],
    run: async (context) => checkModel(await context.api({ path: '/balance' }), BalanceModel, 'GET /balance'),
  }),
  balance.should('balance.integer', 'the balance is a whole number', {
    source: 'The unit is the smallest one of the currency: cents and satoshis have no fractions.',
    advice: 'Answer in the smallest unit: 999256 for 9992.56 dollars.',
    async run(context) {
      for (const { code } of await context.currencies()) {
        const reply = await context.api({ path: `/balance?${queryOf({ currency_code: code })}` })
        const { balance: amount } = checkModel(reply, BalanceModel, `GET /balance in ${code}`)
        check(Number.isInteger(amount), `The balance is ${amount} ${code}.`)
      }
    },
  }),
  balance.must('balance.default-currency', 'GET /balance without a code is in the default currency', {
    source: SPEC.balance,
    advice: 'Answer in the first currency of GET /info, and name it in currency.',
    dependsOn: ['balance.reply', 'info.currencies'],
    async run(context) {
      const { currency } = checkModel(await context.api({ path: '/balance' }), BalanceModel, 'GET /balance')
      if (currency == null)
        throw new NotApplicable('GET /balance names no currency: clients take the balance as millisatoshis')
      const { code } = await context.defaultCurrency()
      check(currency.code === code, `The balance is in ${currency.code}, and /info begins with ${code}.`)
    },
  }),
  balance.must('balance.given-currency', 'GET /balance answers in the requested currency', {
    source: SPEC.balance,
    advice: 'Read currency_code from the query.',
    dependsOn: ['balance.reply', 'info.currency-codes'],
    async run(context) {
      for (const { code } of await context.currencies()) {
        const reply = await context.api({ path: `/balance?${queryOf({ currency_code: code })}` })
        const { currency } = checkModel(reply, BalanceModel, `GET /balance in ${code}`)
        check(currency?.code === code, `GET /balance for ${code} answered in ${show(currency?.code)}.`)
      }
    },
  }),
  balance.should('balance.unknown-currency', 'refuses a currency that it does not know', {
    source: 'A balance in a currency other than the requested one would be misread.',
    advice: 'Answer 400 to codes that you do not know.',
    run: async (context) =>
      checkRefused(await context.api({ path: '/balance?currency_code=ZZZ' }), 'GET /balance in ZZZ'),
  }),
  balance.should('balance.unknown-parameter', 'ignores a parameter that it does not know', {
    source: 'A newer gateway may send parameters that this VASP does not know.',
    advice: 'Ignore unknown parameters.',
    run: async (context) =>
      checkSuccess(await context.api({ path: '/balance?conformance=1' }), 'GET /balance with an unknown parameter'),
  }),
]
