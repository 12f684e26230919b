import type { Deps } from '../deps'
import { badInput } from '../errors'
import { readWallets, type WalletAccount } from '../ledger/accounts'
import { conversionLines } from '../ledger/conversion'
import { insufficientBalance, isOverdraft, mergeLines } from '../ledger/entry'
import type { Statement } from '../db/database'
import { readBill, type Bill, type OwnInvoice, type OwnPayment, type Paid, type Payee } from './bill'
import { askedForInvoice, type Underway } from './earlier'
import { orJoinEarlier } from './lock-timeout'
import type { NamedInvoice } from './named-invoice'
import { payThroughNode, type Leaving } from './leave'
import { noRoute, refuseOverLimit, tooExpensive } from './refusals'
import { decodeInvoice, type DecodedInvoice } from '../lightning/bolt11'
import { msatsInLedgerUnits } from '../money/ledger-units'

export interface PayRequest {
  readonly username: string
  /** Null when the person pays in the dashboard. */
  readonly connectionId: string | null
  /** Balances as read before the invoice is looked up, by preference. */
  readonly wallets: readonly WalletAccount[]
  readonly invoice: string
  /** The same, where it has been found among our own already, not before the wallets were read. */
  readonly own?: OwnInvoice | undefined
  /** For invoices without an amount. */
  readonly amountMsats: bigint | undefined
  /** What a person agreed to pay, in ledger units of the one wallet given. */
  readonly mostDebit?: bigint
}

/**
 * Pays an invoice from one wallet of the user: the first, in the user's order, that covers it. One of this VASP is paid at
 * once; for another node the money is held, and the payment is under way. Money moves once however often the same request
 * comes, at the same instant too; a repetition gets the stored preimage, or waits for the first.
 * @throws VaspError 400 OTHER (damaged, expired, somebody else paid it, amounts that do not agree), 400 PAYMENT_FAILED
 * (a node that cannot be reached), 400 INSUFFICIENT_BALANCE, 400 QUOTA_EXCEEDED (more than was agreed), 429 RATE_LIMITED
 * (too many of the user's payments are under way).
 */
export async function payInvoice(deps: Deps, request: PayRequest): Promise<Paid | Underway> {
  deps.audit.refusePaymentsAfterBreach()
  const invoice = request.own ?? decoded(request.invoice)
  const amountMsats = agreeOnAmount(invoice, request.amountMsats)
  return orJoinEarlier(deps.db, askedForInvoice(request, invoice, amountMsats), () =>
    settle(deps, request, invoice, amountMsats),
  )
}

function decoded(text: string): DecodedInvoice {
  const decoding = decodeInvoice(text)
  if (!decoding.ok) throw badInput(decoding.reason)
  return decoding.invoice
}

/** @throws VaspError 400 when invoice and request name different amounts, none, or too much. */
export function agreeOnAmount(invoice: Pick<DecodedInvoice, 'amountMsats'>, asked: bigint | undefined): bigint {
  if (invoice.amountMsats !== undefined && asked !== undefined && asked !== invoice.amountMsats) {
    throw badInput('amount differs from the amount of the invoice.')
  }
  const amount = invoice.amountMsats ?? asked
  if (amount === undefined) throw badInput('This invoice has no amount: amount is required.')
  refuseOverLimit(amount)
  return amount
}

function repeat(own: OwnPayment, amountMsats: bigint): Paid {
  if (own.amountMsats !== amountMsats) throw badInput('You have paid this invoice before, with another amount.')
  return own
}

const SETTLE: Statement = {
  name: 'settle_internal_payment',
  text: `select outcome, preimage from settle_internal_payment($1, $2, $3, $4, $5, null, $6, $7, $8, $9::bigint[], $10::bigint[])`,
}

/**
 * Tries the given wallets in order. One that another request empties at this instant is passed over; that request may
 * have been a copy of this one, so wallets are read before the bill, and the bill decides.
 */
async function settle(
  deps: Deps,
  request: PayRequest,
  invoice: OwnInvoice | DecodedInvoice,
  amountMsats: bigint,
): Promise<Paid | Underway> {
  const allowed = request.wallets.map(({ walletId }) => walletId)
  let wallets = request.wallets
  // Once as they were read by the caller, then once a wallet, and once more to see that none is left.
  for (let attempt = 0; attempt <= allowed.length + 1; attempt++) {
    const known = attempt === 0 && 'bill' in invoice ? invoice.bill : undefined
    const bill = known ?? (await readBill(deps.db, invoice, request.username))
    if (bill.own !== undefined) return repeat(bill.own, amountMsats)
    if ('payee' in invoice && bill.payee === undefined) {
      if (invoice.payee === deps.node.publicKeyHex) throw noRoute(deps, invoice.payee)
      return payThroughNode(deps, leaving(request, invoice, amountMsats))
    }
    const payee = payeeOf(bill)
    const wallet = chooseWallet(wallets, amountMsats)
    if (wallet !== undefined) {
      const paid = await settleFrom(deps, request, invoice, amountMsats, wallet, payee)
      if (paid !== 'overdrawn') return paid
    } else if (attempt > 0) throw insufficientBalance()
    wallets = (await readWallets(deps.db, request.username)).filter(({ walletId }) => allowed.includes(walletId))
  }
  throw insufficientBalance()
}

function leaving(request: PayRequest, invoice: DecodedInvoice, amountMsats: bigint): Leaving {
  return {
    ...askedForInvoice(request, invoice, amountMsats),
    wallets: request.wallets,
    mostDebit: request.mostDebit,
    payee: invoice.payee,
    description: invoice.description ?? null,
    descriptionHash: invoice.descriptionHash ?? null,
    expiresAtSeconds: invoice.expiresAtSeconds,
    keysendPreimage: null,
  }
}

/** @throws VaspError for an invoice that nobody can pay any more. */
function payeeOf(bill: Bill): Payee {
  if (bill.payee === undefined) throw new Error('an invoice of ours has gone')
  if (bill.settled) throw refusalOf('taken')
  if (bill.expired) throw refusalOf('expired')
  return bill.payee
}

/** The first wallet, in the user's order, that covers the amount. */
export function chooseWallet(wallets: readonly WalletAccount[], amountMsats: bigint): WalletAccount | undefined {
  return wallets.find((each) => each.available >= msatsInLedgerUnits(amountMsats, each.code, 'up'))
}

async function settleFrom(
  deps: Deps,
  request: PayRequest,
  invoice: NamedInvoice,
  amountMsats: bigint,
  wallet: WalletAccount,
  payee: Payee,
): Promise<Paid | 'overdrawn'> {
  const debit = msatsInLedgerUnits(amountMsats, wallet.code, 'up')
  if (request.mostDebit !== undefined && debit > request.mostDebit) throw tooExpensive()
  const { agreed } = payee
  const credit = agreed?.credit ?? msatsInLedgerUnits(amountMsats, payee.code, 'down')
  if (credit < 1n) throw badInput('The amount is too small: the receiver would get less than one unit.')
  const from = { accountId: wallet.accountId, code: wallet.code, amount: debit }
  // A wallet that pays itself is neither debited nor credited, so no rounding is taken from it either.
  const lines =
    wallet.accountId === payee.accountId
      ? []
      : mergeLines(conversionLines(deps.house, from, await creditedTo(deps, payee, credit)))
  const { snapshotId } = deps.rates
  const params = [
    invoice.paymentHash,
    invoice.invoice,
    request.username,
    request.connectionId,
    wallet.walletId,
    amountMsats,
    debit,
    snapshotId,
    lines.map((line) => line.accountId),
    lines.map((line) => line.amount),
  ]
  const row = await settleOrOverdraw(deps, params)
  if (row === 'overdrawn') return row
  if (row?.outcome === 'paid' && row.preimage !== null)
    return { preimage: row.preimage, debit, walletCode: wallet.code, rateSnapshotId: snapshotId }
  if (row?.outcome === 'repeated') {
    // Another copy of this request was first; what it took is what is told.
    const { own } = await readBill(deps.db, invoice, request.username)
    if (own !== undefined) return repeat(own, amountMsats)
  }
  throw refusalOf(row?.outcome)
}

async function creditedTo({ rates }: Deps, { accountId, code, agreed }: Payee, amount: bigint) {
  const promised =
    agreed === undefined ? {} : { rates: await rates.ofSnapshot(agreed.rateSnapshotId), feeMsats: agreed.feeMsats }
  return { accountId, code, amount, ...promised }
}

async function settleOrOverdraw(deps: Deps, params: readonly unknown[]): Promise<Settled | undefined | 'overdrawn'> {
  try {
    const [row] = await deps.db.query<Settled>(SETTLE, params)
    return row
  } catch (error) {
    if (isOverdraft(error)) return 'overdrawn'
    throw error
  }
}

interface Settled {
  readonly outcome: string
  readonly preimage: string | null
}

const REFUSALS = new Map([
  ['expired', 'This invoice has expired. Ask for a new one.'],
  ['taken', 'Somebody else has paid this invoice already.'],
  ['amount', 'You have paid this invoice before, with another amount.'],
])

function refusalOf(outcome: string | undefined): Error {
  const reason = REFUSALS.get(outcome ?? '')
  return reason === undefined ? new Error(`a payment ended with ${outcome ?? 'nothing'}`) : badInput(reason)
}
