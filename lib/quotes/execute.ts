import type { Statement } from '../db/database'
import type { Deps } from '../deps'
import { VaspError, badInput } from '../errors'
import { conversionLines } from '../ledger/conversion'
import { insufficientBalance, isOverdraft, mergeLines, type Line } from '../ledger/entry'
import { decodeInvoice } from '../lightning/bolt11'
import type { Paid } from '../payments/bill'
import { askedForInvoice, isUnderway, joinEarlier, type Asked, type Underway } from '../payments/earlier'
import { payThroughNode } from '../payments/leave'
import { orJoinEarlier } from '../payments/lock-timeout'
import { readQuoteToPay, type QuoteToPay } from './read'
import type { Quote } from './quote'

export interface Execution {
  readonly username: string
  /** Null when the person pays in the dashboard. */
  readonly connectionId: string | null
  readonly paymentHash: string
}

export interface Executed {
  readonly quote: Quote
  readonly result: Paid | Underway
}

/**
 * Pays a quote, from its stored numbers only: the wallet pays what was promised, whatever rates and balances did since. Once,
 * however often it is asked for: a repetition gets the stored preimage, or waits for the first. One that failed may be tried
 * again until the quote ends, which the database's clock decides.
 * @throws VaspError 404 NOT_FOUND (no quote of this person), 400 OTHER (expired), 400 INSUFFICIENT_BALANCE, 400
 * PAYMENT_FAILED, 429 RATE_LIMITED (too many of the person's payments are under way).
 */
export async function executeQuote(deps: Deps, execution: Execution): Promise<Executed> {
  deps.audit.refusePaymentsAfterBreach()
  const found = await readQuoteToPay(deps.db, execution.username, execution.paymentHash)
  if (found === undefined) throw new VaspError(404, 'NOT_FOUND', 'There is no quote with this hash.')
  const { quote, invoice } = found
  const asked = askedForInvoice(execution, { invoice, paymentHash: quote.paymentHash }, quote.amountMsats)
  const result = await orJoinEarlier(deps.db, asked, () =>
    quote.protocol === 'own' ? payHere(deps, asked, found) : payAbroad(deps, asked, found),
  )
  return { quote, result }
}

const SETTLE: Statement = {
  name: 'settle_quote',
  text: `select outcome, preimage from settle_internal_payment($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::bigint[], $11::bigint[])`,
}

interface Settled {
  readonly outcome: 'paid' | 'repeated' | 'taken' | 'expired' | 'amount' | 'unknown'
  readonly preimage: string | null
}

/** The receiver is one of our people: one statement settles it. Their invoice ends when the quote does. */
async function payHere(deps: Deps, asked: Asked, found: QuoteToPay): Promise<Paid> {
  const { quote, invoice, wallet, debit, rateSnapshotId } = found
  const lines = await linesHere(deps, found)
  const row = await settle(deps, [
    quote.paymentHash,
    invoice,
    asked.username,
    asked.connectionId,
    wallet.walletId,
    found.quoteId,
    quote.amountMsats,
    debit,
    rateSnapshotId,
    lines.map((line) => line.accountId),
    lines.map((line) => line.amount),
  ])
  switch (row?.outcome) {
    case 'paid':
      if (row.preimage === null) throw new Error('a quote was paid without a preimage')
      return { preimage: row.preimage, debit, walletCode: quote.sendingCode, rateSnapshotId }
    case 'repeated':
      return firstPayment(deps, asked)
    case 'expired':
      throw badInput('This quote has expired. Ask for a new one.')
    case 'taken':
      throw badInput('Somebody else has paid the invoice of this quote.')
    case 'amount':
    case 'unknown':
    case undefined:
      throw new Error(`the payment of a quote ended with ${row?.outcome ?? 'nothing'}`)
  }
}

async function settle(deps: Deps, params: readonly unknown[]): Promise<Settled | undefined> {
  try {
    const [row] = await deps.db.query<Settled>(SETTLE, params)
    return row
  } catch (error) {
    if (isOverdraft(error)) throw insufficientBalance(error)
    throw error
  }
}

/** From the payer's wallet to the receiver's, each side at the rates it was promised; our fee to the house. */
async function linesHere({ house, rates }: Deps, found: QuoteToPay): Promise<Line[]> {
  const { quote, wallet, payee, debit, vaspFee } = found
  if (payee === null) throw new Error(`the invoice of quote ${quote.paymentHash} is not here`)
  // A wallet that pays itself is neither debited nor credited.
  if (wallet.accountId === payee.accountId) return []
  const code = quote.sendingCode
  const from = {
    accountId: wallet.accountId,
    code,
    amount: debit - vaspFee,
    rates: await rates.ofSnapshot(found.rateSnapshotId),
  }
  const to = { ...payee, rates: await rates.ofSnapshot(payee.rateSnapshotId) }
  return mergeLines([
    ...conversionLines(house, from, to),
    { accountId: wallet.accountId, amount: -vaspFee },
    { accountId: house('fees', code), amount: vaspFee },
  ])
}

/** What the first of several copies took. */
async function firstPayment(deps: Deps, asked: Asked): Promise<Paid> {
  const earlier = await joinEarlier(deps.db, asked)
  if (earlier === undefined || isUnderway(earlier)) throw new Error('a settled payment is not there')
  return earlier
}

/** The receiver is at another node: the debit is held, until the quote ends at the latest, and the worker carries it. */
async function payAbroad(
  deps: Deps,
  asked: Asked,
  {
    quoteId,
    quote,
    invoice,
    wallet,
    debit,
    vaspFee,
    feeLimitMsats,
    rateSnapshotId,
    expiresAtSeconds,
    isBegun,
  }: QuoteToPay,
): Promise<Paid | Underway> {
  const decoding = decodeInvoice(invoice)
  if (!decoding.ok) throw new Error(`the invoice of quote ${quote.paymentHash} cannot be read`)
  const { payee, description, descriptionHash } = decoding.invoice
  return payThroughNode(deps, {
    ...asked,
    wallets: [wallet],
    payee,
    description: quote.comment ?? description ?? null,
    descriptionHash: descriptionHash ?? null,
    expiresAtSeconds,
    keysendPreimage: null,
    terms: { quoteId, debit, vaspFee, feeLimitMsats, rateSnapshotId },
    isNew: !isBegun,
  })
}
