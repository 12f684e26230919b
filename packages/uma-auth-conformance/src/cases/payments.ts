import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { withAmount } from '../bolt11.ts'
import { caseGroup, type ConformanceCase } from '../case.ts'
import { check, checkModel, checkRefusal, checkRefused, checkStatus, fieldsOf, show } from '../check.ts'
import type { CaseContext } from '../context.ts'
import type { Reply } from '../http.ts'
import { nowSeconds } from '../jwt.ts'
import { PaymentModel, PayToAddressModel, TransactionModel, TransactionsModel } from '../models.ts'
import { API, REASONS, SPEC } from '../sentences.ts'
import { randomHex } from '../session.ts'
import { NotApplicable } from '../verdict.ts'
import { implementedCase } from './implemented.ts'
import { AMOUNT_MSATS } from './invoices.ts'
import { movementCases, repeatedCase, roundedUpCase } from './movements.ts'
import { balancesOf, checkUnchanged, invoiceOfSecond, LARGE_MSATS, ORDERS } from './orders.ts'
import { executeQuote, fetchQuote, receiverOf, sendingAmountOf } from './quotes.ts'

const paying = caseGroup(API, ['pay-invoice.reply'])
const sending = caseGroup(API, ['keysend.reply'])
const toAddress = caseGroup(API, ['pay-to-address.reply'])
const executing = caseGroup(API, ['execute-quote.reply'])

/** `--slow` waits no longer than this for the expiry of a quote. */
const MAX_QUOTE_SECONDS = 900
/** One satoshi, the price that a forged invoice names. */
const FORGED_MSATS = 1_000

interface InvoicePayment {
  readonly invoice: string
  readonly paymentHash: string | undefined
  readonly budgetCode: string
  readonly reply: Reply
}

function payInvoice(context: CaseContext, body: object): Promise<Reply> {
  return context.api({ method: 'POST', path: '/payments/bolt11', body, isPayment: true })
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

/** A payment of this invoice, without an amount and a budget of its own. */
const payText = (context: CaseContext, invoice: unknown): Promise<Reply> =>
  payInvoice(context, { invoice, amount: null, budget_currency_code: null })

/** The payment that several cases check, in the payer's default currency. */
function onePayment(context: CaseContext): Promise<InvoicePayment> {
  return context.session.memo('pay-invoice', async () => {
    const given = await payableInvoice(context)
    const budgetCode = (await context.defaultCurrency()).code
    const reply = await payInvoice(context, { invoice: given.invoice, amount: null, budget_currency_code: budgetCode })
    return { ...given, budgetCode, reply }
  })
}

export const payInvoiceCases: readonly ConformanceCase[] = [
  implementedCase('pay_invoice'),
  paying.gateway('pay-invoice.bad-input', 'refuses a text that is not an invoice, with a code and a message', {
    source: REASONS.passedOn,
    advice: 'Answer 400 with {"code":"OTHER","message": …}.',
    dependsOn: ['pay-invoice.implemented'],
    async run(context) {
      for (const invoice of ['not an invoice', 'lnbc1', ''])
        checkRefusal(await payText(context, invoice), `The invoice ${show(invoice)}`)
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
      checkRefused(await payText(context, invoice), 'An expired invoice')
      await checkUnchanged(context, before, 'The refused payment')
    },
  }),
  paying.must('pay-invoice.forged', "refuses another user's invoice with a changed amount", {
    source: SPEC.paysInvoice,
    advice:
      'Pay the stored invoice only when its whole text is the given one. The payer writes the text: it can name any amount with the same payment hash.',
    dependsOn: ['pay-invoice.reply', 'balance.given-currency'],
    needs: ['payments', 'second-user', 'get_balance', 'make_invoice'],
    timeoutSeconds: 120,
    async run(context) {
      const made = await invoiceOfSecond(context, { amount: LARGE_MSATS })
      const before = await balancesOf(context)
      for (const msats of [FORGED_MSATS, 2 * LARGE_MSATS]) {
        const invoice = withAmount(made.invoice ?? '', msats)
        check(invoice !== undefined, `invoice is ${show(made.invoice)}, which is not a BOLT-11 invoice.`)
        checkRefused(
          await payText(context, invoice),
          `An invoice of ${LARGE_MSATS / 1_000} SAT, changed to ${msats / 1_000} SAT,`,
        )
      }
      await checkUnchanged(context, before, 'The forged invoice')
    },
  }),
  ...movementCases('pay-invoice'),
  roundedUpCase('pay-invoice'),
]

function keysend(context: CaseContext, body: object): Promise<Reply> {
  return context.api({ method: 'POST', path: '/payments/keysend', body, isPayment: true })
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
      const { send, preimage } = await ORDERS.keysend(context, AMOUNT_MSATS)
      const paid = checkModel(
        await send((await context.defaultCurrency()).code),
        PaymentModel,
        'POST /payments/keysend',
      )
      check(paid.preimage.toLowerCase() === preimage, 'The preimage of the answer differs from the one in the request.')
    },
  }),
  repeatedCase('keysend'),
  ...movementCases('keysend'),
  roundedUpCase('keysend'),
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
    },
  }),
  ...movementCases('pay-to-address'),
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
  executing.must('execute-quote.other-user', "refuses another user's quote", {
    source: SPEC.forThatUser,
    advice: 'Search only the quotes of the user.',
    needs: ['second-user'],
    async run(context) {
      const { payment_hash: hash } = await fetchQuote(context)
      const token = await context.connectionToken('second')
      checkRefused(await executeQuote(context, hash, { token }), 'The quote of another user')
    },
  }),
  executing.should('execute-quote.other-user-unknown', "answers another user's quote like an unknown one", {
    source: 'The quote is unknown to that user. Another error can come from a later check that the next user passes.',
    advice: 'Search only the quotes of the user. Answer 404 with {"code":"NOT_FOUND","message": …}.',
    needs: ['second-user'],
    dependsOn: ['execute-quote.other-user'],
    async run(context) {
      const { payment_hash: hash } = await fetchQuote(context)
      const token = await context.connectionToken('second')
      // 403 also says that the quote is not the user's.
      checkStatus(await executeQuote(context, hash, { token }), [404, 403], 'The quote of another user')
    },
  }),
  executing.should('execute-quote.expired', 'refuses a quote after its expiry', {
    source: 'The gateway checks neither the expiry of a quote nor whether it was executed. The price no longer holds.',
    advice: 'Compare expires_at with the clock in the transaction that pays, and answer 400.',
    dependsOn: ['execute-quote.reply', 'balance.given-currency'],
    needs: ['slow', 'get_balance'],
    timeoutSeconds: MAX_QUOTE_SECONDS + 60,
    async run(context) {
      const { payment_hash: hash, expires_at: expiresAt } = await fetchQuote(context)
      const seconds = expiresAt + 1 - nowSeconds()
      if (seconds > MAX_QUOTE_SECONDS) throw new NotApplicable(`the quote is valid for ${seconds} seconds`)
      await sleep(Math.max(0, seconds) * 1_000)
      const before = await balancesOf(context)
      checkRefused(await executeQuote(context, hash), 'The expired quote')
      await checkUnchanged(context, before, 'The expired quote')
    },
  }),
  repeatedCase('execute-quote'),
  ...movementCases('execute-quote'),
]

/** One executed quote. */
function onePaidQuote(context: CaseContext): Promise<Reply> {
  return context.session.memo('execute-quote', async () =>
    executeQuote(context, (await fetchQuote(context)).payment_hash),
  )
}
