import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkModel, checkRefusal, checkRefused, checkSuccess, fieldsOf, show } from '../check.ts'
import { queryOf, type CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import {
  BalanceModel,
  PaymentModel,
  PayToAddressModel,
  TransactionModel,
  TransactionsModel,
  type Transaction,
} from '../models.ts'
import { API, BUDGET, ERRORS, REASONS, SPEC } from '../sentences.ts'
import { randomHex } from '../session.ts'
import type { UserName } from '../sign-in.ts'
import { Failure, NotApplicable, NotRun } from '../verdict.ts'
import { implementedCase } from './implemented.ts'
import { AMOUNT_MSATS, makeInvoice, type InvoiceRequest } from './invoices.ts'
import { executeQuote, fetchQuote, receiverOf, sendingAmountOf } from './quotes.ts'

const paying = caseGroup(API, ['pay-invoice.reply'])
const sending = caseGroup(API, ['keysend.reply'])
const toAddress = caseGroup(API, ['pay-to-address.reply'])
const executing = caseGroup(API, ['execute-quote.reply'])

/** Balances by currency code. */
type Balances = ReadonlyMap<string, number>

async function balancesOf(context: CaseContext, user: UserName = 'first'): Promise<Balances> {
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

/** Currencies whose balance changed, with the amount that left. */
function debitsOf(before: Balances, after: Balances): { readonly code: string; readonly amount: number }[] {
  return [...before].flatMap(([code, amount]) => {
    const left = amount - (after.get(code) ?? 0)
    return left === 0 ? [] : [{ code, amount: left }]
  })
}

interface InvoicePayment {
  readonly invoice: string
  readonly paymentHash: string | undefined
  readonly budgetCode: string
  readonly before: Balances | undefined
  readonly after: Balances | undefined
  readonly reply: Reply
}

function payInvoice(context: CaseContext, body: object): Promise<Reply> {
  return context.api({ method: 'POST', path: '/payments/bolt11', body, isPayment: true })
}

/** Undefined when balances cannot be read: other cases report why. */
async function tryBalances(context: CaseContext): Promise<Balances | undefined> {
  try {
    return await balancesOf(context)
  } catch {
    return undefined
  }
}

/** A new invoice of the second user. @throws NotRun when there is none: another case reports why. */
async function invoiceOfSecond(context: CaseContext, given: InvoiceRequest = {}): Promise<Transaction> {
  if (context.session.options.signIn?.hasSecondUser !== true) throw new NotRun('needs a second user to sign in')
  try {
    return await makeInvoice(context, given, 'second')
  } catch (error) {
    if (error instanceof Failure) throw new NotRun(`depends on make-invoice.reply: ${error.message}`)
    throw error
  }
}

/** An invoice of the second user, or the one that `--invoice` gave. */
async function payableInvoice(
  context: CaseContext,
): Promise<{ readonly invoice: string; readonly paymentHash: string | undefined }> {
  const { invoice } = context.session.options
  if (invoice !== undefined) return { invoice, paymentHash: undefined }
  const created = await invoiceOfSecond(context)
  return { invoice: created.invoice ?? '', paymentHash: created.payment_hash }
}

/** The payment that several cases check, in the payer's default currency. */
function onePayment(context: CaseContext): Promise<InvoicePayment> {
  return context.session.memo('pay-invoice', async () => {
    const given = await payableInvoice(context)
    const budgetCode = (await context.defaultCurrency()).code
    const before = await tryBalances(context)
    const reply = await payInvoice(context, { invoice: given.invoice, amount: null, budget_currency_code: budgetCode })
    const after = await tryBalances(context)
    return { ...given, budgetCode, before, after, reply }
  })
}

/** @throws Failure when money has left the first user's wallets since. */
async function checkUnchanged(context: CaseContext, before: Balances, what: string): Promise<void> {
  const debits = debitsOf(before, await balancesOf(context))
  check(debits.length === 0, `${what} moved ${debits.map(({ code, amount }) => `${amount} ${code}`).join(' and ')}.`)
}

export const payInvoiceCases: readonly ConformanceCase[] = [
  implementedCase('pay_invoice'),
  paying.gateway('pay-invoice.bad-input', 'refuses a text that is not an invoice, with a code and a message', {
    source: REASONS.passedOn,
    advice: 'Answer 400 with {"code":"OTHER","message": …}.',
    dependsOn: ['pay-invoice.implemented'],
    async run(context) {
      for (const invoice of ['not an invoice', 'lnbc1', ''])
        checkRefusal(
          await payInvoice(context, { invoice, amount: null, budget_currency_code: null }),
          `The invoice ${show(invoice)}`,
        )
      checkRefused(await payInvoice(context, {}), 'POST /payments/bolt11 without an invoice')
    },
  }),
  paying.gateway('pay-invoice.reply', 'pays an invoice, and the gateway can read the answer', {
    source: REASONS.paymentModel,
    advice: 'Answer with {"preimage", "total_budget_currency_amount"}. Treat null as absent.',
    dependsOn: ['pay-invoice.implemented', 'info.currencies'],
    needs: ['payments'],
    timeoutSeconds: 120,
    run: async (context) => checkModel((await onePayment(context)).reply, PaymentModel, 'POST /payments/bolt11'),
  }),
  paying.should('pay-invoice.preimage', 'the preimage belongs to the payment hash', {
    source: ['BOLT-11', 'The preimage is the proof of payment.'],
    advice: 'Answer with the preimage as 64 hex digits. Its SHA-256 is the payment hash.',
    async run(context) {
      const { reply, paymentHash } = await onePayment(context)
      const preimage = String(fieldsOf(reply).preimage)
      const hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex')
      check(paymentHash === undefined || hash === paymentHash, 'SHA-256 of the preimage is not the payment hash.')
    },
  }),
  paying.must('pay-invoice.total', 'the answer has the amount to deduct from the budget', {
    source: SPEC.total,
    advice:
      'Answer with total_budget_currency_amount in the smallest unit of budget_currency_code, fees included, rounded up.',
    async run(context) {
      const { reply, budgetCode } = await onePayment(context)
      const total = fieldsOf(reply).total_budget_currency_amount
      check(
        total != null || budgetCode === 'SAT',
        `The budget is in ${budgetCode} and the payment in SAT, and total_budget_currency_amount is missing.`,
      )
    },
  }),
  paying.should('pay-invoice.total-is-debit', 'the amount deducted from the budget is what left the wallet', {
    source: [BUDGET, 'With another amount, the budget and the wallet drift apart.'],
    advice: 'Report the debit of the wallet, fees included, when the budget is in the currency of the wallet.',
    dependsOn: ['pay-invoice.reply', 'balance.given-currency'],
    needs: ['get_balance'],
    async run(context) {
      const { reply, budgetCode, before, after } = await onePayment(context)
      const total = fieldsOf(reply).total_budget_currency_amount
      const debits = debitsOf(before ?? new Map(), after ?? new Map())
      const [debit] = debits
      check(debit !== undefined && debits.length === 1, `The payment changed ${debits.length} balances instead of one.`)
      if (debit.code !== budgetCode) throw new NotApplicable(`the wallet that paid is in ${debit.code}`)
      check(
        total == null || total === debit.amount,
        `total_budget_currency_amount is ${show(total)}, and ${debit.amount} ${budgetCode} left the wallet.`,
      )
    },
  }),
  paying.gateway('pay-invoice.repeated', 'paying an invoice again moves no money', {
    source: REASONS.once,
    advice: 'Store the payment by its hash before you send it. Answer with the stored result, or with an error.',
    dependsOn: ['pay-invoice.reply', 'balance.given-currency'],
    needs: ['get_balance'],
    async run(context) {
      const { invoice, budgetCode, reply: first } = await onePayment(context)
      const before = await balancesOf(context)
      const again = await payInvoice(context, { invoice, amount: null, budget_currency_code: budgetCode })
      await checkUnchanged(context, before, 'The second payment')
      if (again.status >= 400) return checkRefusal(again, 'The second payment')
      check(fieldsOf(again).preimage === fieldsOf(first).preimage, 'The second answer has a different preimage.')
    },
  }),
  paying.should(
    'pay-invoice.at-once',
    'two simultaneous requests pay an invoice once, also with null for optional fields',
    {
      source: REASONS.once,
      advice: 'Lock the payment by its hash. The second request waits, or is refused.',
      dependsOn: ['pay-invoice.repeated'],
      needs: ['second-user', 'get_balance', 'make_invoice'],
      timeoutSeconds: 120,
      async run(context) {
        const { invoice } = await invoiceOfSecond(context)
        const before = await balancesOf(context)
        const body = { invoice, amount: null, budget_currency_code: null }
        const replies = await Promise.all([payInvoice(context, body), payInvoice(context, body)])
        check(
          replies.some(({ status }) => status < 300),
          `Both requests were refused, with ${replies.map(({ status }) => status).join(' and ')}.`,
        )
        const [debit, ...more] = debitsOf(before, await balancesOf(context))
        check(debit !== undefined && more.length === 0, 'The payment did not change exactly one balance.')
        const single = debitsOf(
          (await onePayment(context)).before ?? new Map(),
          (await onePayment(context)).after ?? new Map(),
        )
        const once = single.find(({ code }) => code === debit.code)?.amount
        check(
          once === undefined || debit.amount < 2 * once,
          `Both requests together took ${debit.amount} ${debit.code}, and one payment takes ${once}.`,
        )
      },
    },
  ),
  paying.must('pay-invoice.looked-up', 'the receiver finds the invoice paid', {
    source: SPEC.paymentStatus,
    advice: 'Set settled_at and preimage when the invoice is paid.',
    dependsOn: ['pay-invoice.reply', 'lookup-invoice.reply'],
    async run(context) {
      const { paymentHash } = await onePayment(context)
      if (paymentHash === undefined) throw new NotApplicable('the invoice was given with --invoice')
      const token = await context.connectionToken('second')
      const found = checkModel(
        await context.api({ path: `/invoices/${paymentHash}`, token }),
        TransactionModel,
        'GET /invoices/{payment_hash}',
      )
      check(found.settled_at != null, 'settled_at is null after the payment.')
      check(typeof found.preimage === 'string' && found.preimage !== '', 'preimage is missing after the payment.')
    },
  }),
  paying.should('pay-invoice.listed', 'the payment is in the history of the payer', {
    source: 'Transaction history of the user',
    advice: 'List settled payments in GET /transactions, as type outgoing.',
    dependsOn: ['pay-invoice.reply', 'transactions.reply'],
    async run(context) {
      const { paymentHash } = await onePayment(context)
      const { transactions } = checkModel(
        await context.api({ path: '/transactions?limit=50' }),
        TransactionsModel,
        'GET /transactions',
      )
      check(
        paymentHash === undefined ||
          transactions.some((each) => each.payment_hash === paymentHash && each.type === 'outgoing'),
        'GET /transactions does not list the payment.',
      )
    },
  }),
  paying.should('pay-invoice.credited', 'the receiver is credited', {
    source: 'A payment between two users of one VASP takes from one what it gives to the other, apart from fees.',
    advice: 'Credit the receiver in the transaction that debits the payer.',
    dependsOn: ['pay-invoice.repeated'],
    needs: ['second-user', 'get_balance', 'make_invoice'],
    timeoutSeconds: 120,
    async run(context) {
      const { invoice } = await invoiceOfSecond(context)
      const before = await balancesOf(context, 'second')
      checkSuccess(
        await payInvoice(context, { invoice, amount: null, budget_currency_code: null }),
        'POST /payments/bolt11',
      )
      const credits = debitsOf(before, await balancesOf(context, 'second'))
      check(credits.length === 1 && (credits[0]?.amount ?? 0) < 0, 'The balance of the receiver did not grow.')
    },
  }),
  paying.should('pay-invoice.other-amount', 'refuses an amount that differs from the invoice', {
    source: ['NIP-47, pay_invoice', 'amount is for invoices without an amount.'],
    advice: 'Answer 400 when amount and invoice differ.',
    dependsOn: ['pay-invoice.reply', 'balance.given-currency'],
    needs: ['second-user', 'get_balance', 'make_invoice'],
    async run(context) {
      const { invoice } = await invoiceOfSecond(context)
      const before = await balancesOf(context)
      const body = { invoice, amount: 2 * AMOUNT_MSATS, budget_currency_code: null }
      checkRefused(await payInvoice(context, body), 'A payment of twice the amount')
      await checkUnchanged(context, before, 'The refused payment')
    },
  }),
  paying.should('pay-invoice.expired', 'refuses an expired invoice', {
    source: ['BOLT-11, x', 'A payer must not pay after the expiry.'],
    advice: 'Answer 400 when the invoice has expired.',
    dependsOn: ['pay-invoice.reply', 'make-invoice.expiry', 'balance.given-currency'],
    needs: ['second-user', 'get_balance', 'make_invoice'],
    async run(context) {
      const { invoice } = await invoiceOfSecond(context, { expiry: 1 })
      await sleep(2_500)
      const before = await balancesOf(context)
      checkRefused(
        await payInvoice(context, { invoice, amount: null, budget_currency_code: null }),
        'An expired invoice',
      )
      await checkUnchanged(context, before, 'The refused payment')
    },
  }),
  paying.gateway('pay-invoice.insufficient', 'refuses a payment above the balance with INSUFFICIENT_BALANCE', {
    source: [ERRORS, 'Apps recognize the code INSUFFICIENT_BALANCE.'],
    advice: 'Answer 400 with {"code":"INSUFFICIENT_BALANCE","message": …}.',
    dependsOn: ['pay-invoice.reply', 'balance.given-currency'],
    needs: ['second-user', 'get_balance', 'make_invoice'],
    async run(context) {
      const before = await balancesOf(context)
      let msats = 0
      for (const { code, multiplier } of await context.currencies()) msats += (before.get(code) ?? 0) * multiplier
      const amount = Math.ceil((msats * 1.5) / 1_000) * 1_000 + 1_000_000
      const token = await context.connectionToken('second')
      const made = await context.api({ method: 'POST', path: '/invoice', body: { amount }, token })
      const { invoice } = fieldsOf(made)
      if (made.status >= 400) throw new NotApplicable('no invoice is created above the balance of the first user')
      checkRefusal(
        await payInvoice(context, { invoice, amount: null, budget_currency_code: null }),
        'A payment above the balance',
        ['INSUFFICIENT_BALANCE'],
      )
      await checkUnchanged(context, before, 'The refused payment')
    },
  }),
]

function keysend(context: CaseContext, body: object): Promise<Reply> {
  return context.api({ method: 'POST', path: '/payments/keysend', body, isPayment: true })
}

/** The record that names a wallet behind a node, as apps send it (bLIP-10 and others): the name in hex. */
async function recordsFor(context: CaseContext, user: UserName): Promise<object[]> {
  const address = await context.session.addressOf(context.client, user)
  const name = address.slice(1, address.indexOf('@'))
  return [{ type: 696_969, value: Buffer.from(name).toString('hex') }]
}

export const keysendCases: readonly ConformanceCase[] = [
  implementedCase('pay_keysend'),
  sending.gateway('keysend.bad-input', 'refuses a wrong node key, amount or preimage', {
    source: REASONS.passedOn,
    advice: 'Answer 400 with {"code":"OTHER","message": …}.',
    dependsOn: ['keysend.implemented', 'info.reply'],
    async run(context) {
      const pubkey = `02${'11'.repeat(32)}`
      const common = { amount: AMOUNT_MSATS, pubkey, preimage: null, tlv_records: [], budget_currency_code: null }
      for (const wrong of [{ pubkey: 'abc' }, { amount: 0 }, { amount: -1 }, { preimage: 'abc' }])
        checkRefusal(await keysend(context, { ...common, ...wrong }), `A keysend with ${show(wrong)}`)
    },
  }),
  sending.gateway('keysend.reply', 'pays by keysend, and the gateway can read the answer', {
    source: REASONS.paymentModel,
    advice:
      'Answer with {"preimage", "total_budget_currency_amount"}. Record 696969 names the receiver behind your node.',
    dependsOn: ['keysend.implemented', 'info.reply'],
    needs: ['payments', 'second-user'],
    timeoutSeconds: 120,
    async run(context) {
      const { pubkey } = fieldsOf(await context.session.info(context.client, 'second'))
      const preimage = randomHex(32)
      const { code } = await context.defaultCurrency()
      const body = {
        amount: AMOUNT_MSATS,
        pubkey,
        preimage,
        tlv_records: await recordsFor(context, 'second'),
        budget_currency_code: code,
      }
      const paid = checkModel(await keysend(context, body), PaymentModel, 'POST /payments/keysend')
      check(paid.preimage.toLowerCase() === preimage, 'The preimage of the answer differs from the one in the request.')
      check(
        code === 'SAT' || paid.total_budget_currency_amount != null,
        `The budget is in ${code}, and total_budget_currency_amount is missing.`,
      )
    },
  }),
  sending.gateway('keysend.repeated', 'a keysend with the same preimage moves money once', {
    source: REASONS.once,
    advice: 'Store the payment by its hash before you send it.',
    dependsOn: ['keysend.reply', 'balance.given-currency'],
    needs: ['payments', 'second-user', 'get_balance'],
    timeoutSeconds: 120,
    async run(context) {
      const { pubkey } = fieldsOf(await context.session.info(context.client, 'second'))
      const body = {
        amount: AMOUNT_MSATS,
        pubkey,
        preimage: randomHex(32),
        tlv_records: await recordsFor(context, 'second'),
        budget_currency_code: null,
      }
      checkSuccess(await keysend(context, body), 'POST /payments/keysend')
      const before = await balancesOf(context)
      await keysend(context, body)
      await checkUnchanged(context, before, 'The second keysend')
    },
  }),
]

function payToAddress(context: CaseContext, body: object): Promise<Reply> {
  return context.api({ method: 'POST', path: '/payments/lud16', body, isPayment: true })
}

export const payToAddressCases: readonly ConformanceCase[] = [
  implementedCase('pay_to_address'),
  toAddress.gateway('pay-to-address.bad-input', 'refuses a wrong amount, currency or address', {
    source: REASONS.passedOn,
    advice: 'Answer 400 or 404 with {"code", "message"}.',
    dependsOn: ['pay-to-address.implemented', 'info.currencies'],
    needs: ['second-user'],
    async run(context) {
      const { code } = await context.defaultCurrency()
      const common = {
        receiver_address: await receiverOf(context),
        sending_currency_code: code,
        sending_currency_amount: 10,
        receiving_currency_code: null,
        budget_currency_code: null,
      }
      for (const wrong of [
        { sending_currency_amount: 0 },
        { sending_currency_amount: -1 },
        { sending_currency_amount: '10' },
        { sending_currency_code: 'ZZZ' },
        { receiver_address: 'no address' },
      ])
        checkRefusal(await payToAddress(context, { ...common, ...wrong }), `A payment with ${show(wrong)}`)
    },
  }),
  toAddress.gateway('pay-to-address.reply', 'pays an address, and the gateway can read the answer with its quote', {
    source: REASONS.paymentModel,
    advice: 'Answer with {"preimage", "quote": Quote, "total_budget_currency_amount"}.',
    dependsOn: ['pay-to-address.implemented', 'info.currencies'],
    needs: ['payments', 'second-user'],
    timeoutSeconds: 120,
    async run(context) {
      const currency = await context.defaultCurrency()
      const amount = sendingAmountOf(currency)
      const before = await tryBalances(context)
      const body = {
        receiver_address: await receiverOf(context),
        sending_currency_code: currency.code,
        sending_currency_amount: amount,
        receiving_currency_code: null,
        budget_currency_code: null,
      }
      const paid = checkModel(await payToAddress(context, body), PayToAddressModel, 'POST /payments/lud16')
      const { quote } = paid
      check(
        quote.sending_currency.code === currency.code,
        `The quote sends ${quote.sending_currency.code} instead of ${currency.code}.`,
      )
      check(
        quote.total_sending_amount <= amount,
        `The quote sends ${quote.total_sending_amount}, and ${amount} was asked for.`,
      )
      if (before === undefined) return
      const debit = (before.get(currency.code) ?? 0) - ((await balancesOf(context)).get(currency.code) ?? 0)
      check(debit > 0 && debit <= amount, `${debit} ${currency.code} left the wallet, and ${amount} was asked for.`)
    },
  }),
]

export const executeQuoteCases: readonly ConformanceCase[] = [
  implementedCase('execute_quote'),
  executing.gateway('execute-quote.unknown', 'answers NOT_FOUND to a quote that it does not know', {
    source: REASONS.passedOn,
    advice: 'Answer 404 with {"code":"NOT_FOUND","message": …}.',
    dependsOn: ['execute-quote.implemented'],
    async run(context) {
      const reply = await executeQuote(context, randomHex(32))
      check(reply.status === 404, `An unknown quote was answered with ${reply.status} instead of 404.`)
      checkRefusal(reply, 'An unknown quote', ['NOT_FOUND'])
    },
  }),
  executing.gateway('execute-quote.reply', 'pays a quote, and the gateway can read the answer', {
    source: REASONS.paymentModel,
    advice: 'Answer with {"preimage", "total_budget_currency_amount"}. Treat null as absent.',
    dependsOn: ['execute-quote.implemented', 'fetch-quote.reply'],
    needs: ['payments'],
    timeoutSeconds: 120,
    run: async (context) => checkModel(await onePaidQuote(context), PaymentModel, 'POST /quote/{payment_hash}'),
  }),
  executing.should('execute-quote.total-is-debit', 'the quoted amount is what leaves the wallet and the budget', {
    source: [BUDGET, 'The user approved the amount of the quote.'],
    advice: 'Debit total_sending_amount, and report it as total_budget_currency_amount.',
    dependsOn: ['execute-quote.reply', 'balance.given-currency'],
    needs: ['get_balance'],
    timeoutSeconds: 120,
    async run(context) {
      const quote = await fetchQuote(context)
      const { code } = quote.sending_currency
      const before = await balancesOf(context)
      const paid = checkModel(
        await executeQuote(context, quote.payment_hash),
        PaymentModel,
        'POST /quote/{payment_hash}',
      )
      const debit = (before.get(code) ?? 0) - ((await balancesOf(context)).get(code) ?? 0)
      check(
        debit === quote.total_sending_amount,
        `${debit} ${code} left the wallet, and the quote says ${quote.total_sending_amount}.`,
      )
      const total = paid.total_budget_currency_amount
      check(
        total == null || total === debit,
        `total_budget_currency_amount is ${total}, and ${debit} ${code} left the wallet.`,
      )
    },
  }),
  executing.gateway('execute-quote.repeated', 'executing a quote again moves no money', {
    source: 'The gateway checks neither the expiry of a quote nor whether it was executed.',
    advice: 'Store the state of the quote. Answer with the stored result, or with an error.',
    dependsOn: ['execute-quote.total-is-debit'],
    timeoutSeconds: 120,
    async run(context) {
      const quote = await fetchQuote(context)
      checkSuccess(await executeQuote(context, quote.payment_hash), 'POST /quote/{payment_hash}')
      const before = await balancesOf(context)
      await executeQuote(context, quote.payment_hash)
      await checkUnchanged(context, before, 'The second execution')
    },
  }),
  executing.should('execute-quote.other-user', "treats another user's quote like an unknown one", {
    source: ['Authentication 3', 'The request is carried out for the user of the token.'],
    advice: 'Search only the quotes of the user.',
    needs: ['second-user'],
    async run(context) {
      const { payment_hash: hash } = await fetchQuote(context)
      const token = await context.connectionToken('second')
      const { status } = await executeQuote(context, hash, token)
      check(status === 404, `The quote of another user was answered with ${status} instead of 404.`)
    },
  }),
]

/** One executed quote. */
function onePaidQuote(context: CaseContext): Promise<Reply> {
  return context.session.memo('execute-quote', async () =>
    executeQuote(context, (await fetchQuote(context)).payment_hash),
  )
}
