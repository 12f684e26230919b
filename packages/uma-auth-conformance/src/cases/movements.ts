import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkRefusal, checkSuccess } from '../check.ts'
import type { CaseContext } from '../context.ts'
import { API, BUDGET, ERRORS, ESTIMATES, REASONS, SPEC, type Sentence } from '../sentences.ts'
import { NotApplicable, NotRun } from '../verdict.ts'
import { AMOUNT_MSATS, makeInvoice } from './invoices.ts'
import {
  balancesOf,
  checkUnchanged,
  debitsOf,
  LARGE_MSATS,
  movementOf,
  msatsOf,
  NEEDED,
  ORDERS,
  quoteOf,
  totalOf,
  type Amount,
  type Kind,
} from './orders.ts'
import { estimateOf } from './wallet.ts'

const money = caseGroup(API, [])

interface Payment {
  readonly pays: Sentence
  readonly noun: string
  /** How many payments two simultaneous requests are. */
  readonly twice: string
}

const PAYMENTS: Readonly<Record<Kind, Payment>> = {
  'pay-invoice': { pays: SPEC.paysInvoice, noun: 'invoice', twice: 'pay an invoice once' },
  keysend: { pays: SPEC.paysKeysend, noun: 'keysend', twice: 'with one preimage pay once' },
  'execute-quote': { pays: SPEC.paysQuote, noun: 'quote', twice: 'pay a quote once' },
  'pay-to-address': { pays: SPEC.paysAddress, noun: 'payment to an address', twice: 'take what their answers confirm' },
}

/** Spread between two rates that a currency conversion may have. */
const SPREAD = 0.05

/** The cases about the money that a kind of payment moves. */
export function movementCases(kind: Kind): ConformanceCase[] {
  const { pays, noun, twice } = PAYMENTS[kind]
  const common = {
    dependsOn: [`${kind}.reply`, 'balance.given-currency'],
    needs: ['payments' as const, ...NEEDED[kind]],
    timeoutSeconds: 120,
  }
  return [
    money.gateway(`${kind}.at-once`, `two simultaneous requests ${twice}`, {
      ...common,
      source: REASONS.once,
      advice: 'Lock the payment and both balances. The second request waits and is answered alike, or is refused.',
      async run(context) {
        const one = await movementOf(context, await ORDERS[kind](context, AMOUNT_MSATS))
        const two = await movementOf(context, await ORDERS[kind](context, AMOUNT_MSATS), { times: 2 })
        for (const side of ['debit', 'credit'] as const) {
          const [single, both] = [one[side], two[side]]
          if (single === undefined || both === undefined) continue
          check(single.code === both.code, `One payment was in ${single.code}, and two at once in ${both.code}.`)
          const wanted = two.count * single.amount
          check(
            Math.abs(both.amount - wanted) <= Math.max(1, single.amount / 4),
            `Two requests at once confirmed ${two.count} payment(s). The ${side} is ${both.amount} ${both.code}, and ${wanted} is right: one payment has ${single.amount}.`,
          )
        }
      },
    }),
    money.must(`${kind}.conserved`, `the ${noun} takes from one user what it gives to the other, and its fees`, {
      ...common,
      source: pays,
      advice: 'Debit the payer and credit the receiver once, in one transaction, by the amounts of the payment.',
      run: async (context) => checkConserved(context, kind),
    }),
    money.gateway(`${kind}.insufficient`, 'refuses a payment above the balance with INSUFFICIENT_BALANCE', {
      ...common,
      source: [ERRORS, 'Apps recognize the code INSUFFICIENT_BALANCE.'],
      advice:
        'Compare the balance with the amount and its fees, under the lock of the debit and before other limits. Answer 400 with {"code":"INSUFFICIENT_BALANCE","message": …}.',
      run: async (context) => checkInsufficient(context, kind),
    }),
    money.should(`${kind}.estimated`, 'GET /budget_estimate is not below what the payment then costs', {
      ...common,
      source: [ESTIMATES, 'The gateway holds the estimate. A payment that costs more exceeds the budget.'],
      advice: 'Estimate the amount with the highest fee, rounded up.',
      dependsOn: [...common.dependsOn, 'budget.reply'],
      async run(context) {
        const { estimate, moved, code } = await oneMovement(context, kind)
        const cost =
          totalOf(moved.paid[0], 'The payment') ?? (moved.debit.code === code ? moved.debit.amount : undefined)
        if (cost === undefined) throw new NotApplicable(`the answer names no cost in ${code}`)
        if (estimate === undefined) throw new NotRun('depends on budget.reply')
        check(estimate >= cost, `The estimate was ${estimate} ${code}, and the payment cost ${cost} ${code}.`)
      },
    }),
    money.should(`${kind}.total-is-debit`, 'the amount deducted from the budget is what left the wallet', {
      ...common,
      source: [BUDGET, 'With another amount, the budget and the wallet drift apart.'],
      advice: 'Report the debit of the wallet, fees included, when the budget is in the currency of the wallet.',
      async run(context) {
        const { moved, code } = await oneMovement(context, kind)
        const { debit, paid } = moved
        if (debit.code !== code) throw new NotApplicable(`the wallet that paid is in ${debit.code}`)
        const total = totalOf(paid[0], 'The payment')
        check(
          total === undefined || total === debit.amount,
          `total_budget_currency_amount is ${total}, and ${debit.amount} ${code} left the wallet.`,
        )
      },
    }),
    money.must(`${kind}.total`, 'the answer has the amount to deduct from a budget in another currency', {
      ...common,
      source: SPEC.total,
      advice:
        'Answer with total_budget_currency_amount in the smallest unit of budget_currency_code, fees included, rounded up.',
      run: async (context) => checkTotals(context, kind),
    }),
  ]
}

/** The least amount above all balances, so that a VASP without the check moves no more than it must. */
async function checkInsufficient(context: CaseContext, kind: Kind): Promise<void> {
  const [before, currencies] = [await balancesOf(context), await context.currencies()]
  const { max, multiplier: unit } = await context.defaultCurrency()
  const above = currencies.reduce((sum, { code, multiplier }) => sum + ((before.get(code) ?? 0) + 1) * multiplier, 0)
  const margin = currencies.every(({ code }) => code === 'SAT') ? 1 : 1 + SPREAD
  const msats = Math.ceil((above * margin) / 1_000) * 1_000
  const order = msats > max * unit ? undefined : await ORDERS[kind](context, msats).catch(() => undefined)
  if (order === undefined) throw new NotApplicable('the balance of the first user is above what one payment may have')
  const reply = await order.send(null)
  // The second user, who has the money now, pays it back.
  if (reply.status < 300) await payBack(context, msats).catch(() => undefined)
  const { amount, code } = order.cost
  checkRefusal(reply, `A payment of ${amount} ${code}, above the balance,`, ['INSUFFICIENT_BALANCE'])
  await checkUnchanged(context, before, 'The refused payment')
}

async function payBack(context: CaseContext, amount: number): Promise<void> {
  const { invoice } = await makeInvoice(context, { amount })
  const body = { invoice, amount: null, budget_currency_code: null }
  const token = await context.connectionToken('second')
  await context.api({ method: 'POST', path: '/payments/bolt11', token, body, isPayment: true })
}

/** One payment of a larger amount, with the estimate that the gateway would hold for it. */
function oneMovement(context: CaseContext, kind: Kind) {
  return context.session.memo(`moved ${kind}`, async () => {
    const { code } = await context.defaultCurrency()
    const order = await ORDERS[kind](context, LARGE_MSATS)
    // The cases of get_budget report why there is none.
    const estimate = await estimateOf(context, { ...order.cost, from: order.cost.code, to: code }).catch(
      () => undefined,
    )
    return { order, code, estimate, moved: await movementOf(context, order) }
  })
}

async function checkConserved(context: CaseContext, kind: Kind): Promise<void> {
  const { order, moved } = await oneMovement(context, kind)
  const { debit, credit } = moved
  check(credit !== undefined, 'The payment did not change exactly one balance of the second user.')
  const quote = quoteOf(order, moved.paid[0])
  if (quote === undefined) await checkCredit(context, credit)
  else {
    const { total_sending_amount: sent, total_receiving_amount: received } = quote
    check(debit.amount === sent, `${debit.amount} ${debit.code} left the wallet, and the quote says ${sent}.`)
    check(credit.amount === received, `${credit.amount} ${credit.code} arrived, and the quote says ${received}.`)
  }
  const [paid, got] = [await msatsOf(context, debit, 'first'), await msatsOf(context, credit, 'second')]
  check(
    paid >= got * (debit.code === credit.code ? 1 : 1 - SPREAD),
    `${debit.amount} ${debit.code} left one wallet, and ${credit.amount} ${credit.code} reached the other: money was created.`,
  )
}

/** Without a quote, the receiver gets the amount of the request: exactly in SAT, and nearly in another currency. */
async function checkCredit(context: CaseContext, credit: Amount): Promise<void> {
  const off = Math.abs((await msatsOf(context, credit, 'second')) - LARGE_MSATS)
  check(
    off <= (credit.code === 'SAT' ? 0 : LARGE_MSATS * SPREAD),
    `${credit.amount} ${credit.code} arrived for a payment of ${LARGE_MSATS / 1_000} SAT.`,
  )
}

async function checkTotals(context: CaseContext, kind: Kind): Promise<void> {
  const own = (await ORDERS[kind](context, LARGE_MSATS)).cost.code
  const others = (await context.currencies()).filter(({ code }) => code !== own)
  if (others.length === 0) throw new NotApplicable(`the first user has no currency other than ${own} for a budget`)
  for (const { code, multiplier } of others.slice(0, 2)) {
    const moved = await movementOf(context, await ORDERS[kind](context, LARGE_MSATS), { budgetCode: code })
    const total = totalOf(moved.paid[0], 'The payment')
    check(
      total !== undefined,
      `The budget is in ${code} and the payment in ${own}, and total_budget_currency_amount is missing.`,
    )
    const wanted = (await msatsOf(context, moved.debit, 'first')) / multiplier
    check(
      Math.abs(total - wanted) <= Math.max(2, wanted * SPREAD),
      `${moved.debit.amount} ${moved.debit.code} left the wallet, about ${Math.round(wanted)} ${code}, and total_budget_currency_amount is ${total}.`,
    )
  }
}

/** A repeated request that the gateway sends after a failure of its own. */
export function repeatedCase(kind: Kind): ConformanceCase {
  return money.gateway(`${kind}.repeated`, `the same ${PAYMENTS[kind].noun} sent again moves no money`, {
    source: REASONS.once,
    advice: 'Store the payment by its hash before you send it. Answer with the stored result, or with an error.',
    dependsOn: [`${kind}.reply`, 'balance.given-currency'],
    needs: ['payments', ...NEEDED[kind]],
    timeoutSeconds: 120,
    async run(context) {
      const { send } = await ORDERS[kind](context, AMOUNT_MSATS)
      checkSuccess(await send(null), 'The payment')
      const before = await balancesOf(context)
      await send(null)
      await checkUnchanged(context, before, 'The second request')
    },
  })
}

/** Payments that are no whole satoshis. Together they are, so that no balance hides a part of a satoshi. */
export function roundedUpCase(kind: 'pay-invoice' | 'keysend'): ConformanceCase {
  return money.should(`${kind}.rounded-up`, 'a part of a satoshi counts as one in a budget in satoshis', {
    source: [BUDGET, 'The budget is in whole satoshis. Rounded down, many small payments cost less than they take.'],
    advice: 'Round total_budget_currency_amount and debits up, and credits down.',
    dependsOn: [`${kind}.reply`, 'balance.given-currency'],
    needs: ['payments', ...NEEDED[kind]],
    timeoutSeconds: 120,
    async run(context) {
      const [payer, payee] = [await balancesOf(context), await balancesOf(context, 'second')]
      if (!payer.has('SAT')) throw new NotApplicable('the first user has no budget in SAT')
      for (const msats of [1_250, 1_750]) {
        const order = await ORDERS[kind](context, msats).catch(() => undefined)
        const reply = await order?.send('SAT')
        if (reply === undefined || reply.status >= 400) throw new NotApplicable('only whole satoshis are paid')
        const total = totalOf(reply, 'The payment') ?? 2
        check(total >= 2, `total_budget_currency_amount is ${total} SAT for a payment of ${msats} millisatoshis.`)
      }
      const [debit = 0, credit = 0] = [
        debitsOf(payer, await balancesOf(context)).find(({ code }) => code === 'SAT')?.amount,
        debitsOf(await balancesOf(context, 'second'), payee).find(({ code }) => code === 'SAT')?.amount,
      ]
      check(debit >= credit || debit === 0, `${debit} SAT left one wallet, and ${credit} SAT reached the other.`)
    },
  })
}
