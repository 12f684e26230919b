import type { WalletAccount } from '../../ledger/accounts'
import { conversionLines, mergeLines, type Line } from '../../ledger/conversion'
import { isOverdraft } from '../../ledger/entry'
import { msatsInLedgerUnits } from '../../money/ledger-units'
import { sqlState } from '../../platform/db/sql-state'
import { statement } from '../../platform/db/statement'
import { badInput, VaspError } from '../../platform/errors'
import { internalDebit, type DebitOf } from '../debit'
import { noRoute } from '../errors'
import { findExistingPayment } from '../idempotency'
import { readInvoiceStatus } from '../invoice-status'
import { paymentEvent, receivedEvent } from '../payment-events'
import { MIN_KEYSEND_MSATS, usernameIn, walletForKeysend } from '../receive'
import type { InvoicePayee, InvoiceStatus, Paid, PaymentIntent } from '../types'
import type { MethodPorts, PaymentMethod, Prepared } from './method'

/** Pays a user of this VASP: one transaction moves the money and settles the invoice. The node sends nothing. */
export const internal: PaymentMethod = {
  prepare: (ports, intent, isFirstTry) =>
    intent.invoice === null
      ? prepareKeysend(ports, intent, intent.keysendPreimage)
      : prepareInvoice(ports, intent, intent.invoice, isFirstTry),
}

async function prepareInvoice(
  ports: MethodPorts,
  intent: PaymentIntent,
  invoice: string,
  isFirstTry: boolean,
): Promise<Prepared | undefined> {
  const known = isFirstTry ? intent.invoiceStatus : undefined
  const status = known ?? (await readInvoiceStatus(ports.db, { ...intent, invoice }, intent.username))
  if (status.own !== undefined) {
    if (status.own.amountMsats !== intent.amountMsats) throw refusalOf('amount', intent)
    return { kind: 'earlier', result: status.own }
  }
  if (status.payee === undefined) {
    if (intent.payee === ports.node.identity.publicKeyHex) throw noRoute(ports, intent.payee)
    return undefined
  }
  refuseUnpayable(status, intent)
  const { payee } = status
  return {
    kind: 'ready',
    debitOf: debitOf(ports, intent),
    start: (wallet) => settleInvoice(ports, intent, invoice, wallet, payee),
  }
}

function debitOf({ rates }: Pick<MethodPorts, 'rates'>, { quote, amountMsats }: PaymentIntent): DebitOf {
  return quote === undefined ? internalDebit(amountMsats, rates.rateOf) : () => quote.debit
}

function refuseUnpayable({ settled, expired }: InvoiceStatus, intent: PaymentIntent): void {
  if (settled) throw refusalOf('taken', intent)
  if (expired) throw refusalOf('expired', intent)
}

const SETTLE = statement<Settled>(
  'settle_internal_payment',
  `select outcome, preimage
         from settle_internal_payment($1, $2, $3, $4, $5, $6, $7, $8, $9, $10::bigint[], $11::bigint[])`,
)

interface Settled {
  readonly outcome: 'paid' | 'repeated' | 'taken' | 'unknown' | 'expired' | 'amount'
  readonly preimage: string | null
}

async function settleInvoice(
  ports: MethodPorts,
  intent: PaymentIntent,
  invoice: string,
  wallet: WalletAccount,
  payee: InvoicePayee,
): Promise<Paid | 'overdrawn' | 'repeated'> {
  const debit = debitOf(ports, intent)(wallet)
  const rateSnapshotId = intent.quote?.rateSnapshotId ?? ports.rates.snapshotId
  const lines = await linesBetween(ports, intent, wallet, payee)
  const row = await orOverdrawn(() =>
    ports.db.query(SETTLE, [
      intent.paymentHash,
      invoice,
      intent.username,
      intent.connectionId,
      wallet.walletId,
      intent.quote?.quoteId ?? null,
      intent.amountMsats,
      debit,
      rateSnapshotId,
      lines.map((line) => line.accountId),
      lines.map((line) => line.amount),
    ]),
  )
  if (row === 'overdrawn') return row
  if (row?.outcome === 'repeated') return 'repeated'
  if (row?.outcome !== 'paid' || row.preimage === null) throw refusalOf(row?.outcome, intent)
  recordPaid(ports, intent, payee.username)
  void cancelAtNode(ports, intent.paymentHash)
  return { preimage: row.preimage, debit, walletCode: wallet.code, rateSnapshotId }
}

/**
 * Cancels a settled invoice at the node, so that other nodes cannot pay it. The reply to the payer does not wait for
 * this. If the cancellation fails or comes too late, a second payment is booked to suspense when it arrives.
 */
async function cancelAtNode({ node, log }: MethodPorts, paymentHash: string): Promise<void> {
  try {
    if ((await node.cancelInvoice?.(paymentHash)) === 'settled')
      log.warn({ paymentHash }, 'an invoice settled inside this VASP was also paid from outside')
  } catch (error) {
    log.warn({ error, paymentHash }, 'an invoice settled inside this VASP could not be cancelled at the node')
  }
}

async function prepareKeysend(
  ports: MethodPorts,
  intent: PaymentIntent,
  preimage: string | null,
): Promise<Prepared | undefined> {
  if (intent.payee !== ports.node.identity.publicKeyHex || preimage === null) return undefined
  // The same limit as for an incoming keysend (`receive.ts`).
  if (intent.amountMsats < MIN_KEYSEND_MSATS)
    throw badInput('A keysend to a user of this VASP must be at least one satoshi.')
  const earlier = await findExistingPayment(ports.db, intent)
  if (earlier !== undefined) return { kind: 'earlier', result: earlier }
  const username = usernameIn(intent.metadata?.tlv_records ?? [])
  const wallet = username === undefined ? undefined : await walletForKeysend(ports, username)
  if (username === undefined || wallet === undefined)
    throw new VaspError(404, 'NOT_FOUND', 'Record 696969 of this payment names no user of this VASP.')
  return {
    kind: 'ready',
    debitOf: debitOf(ports, intent),
    start: (payer) => settleKeysend(ports, intent, preimage, payer, { username, ...wallet }),
  }
}

const SETTLE_KEYSEND = statement<{ outcome: 'paid' | 'taken' }>(
  'settle_internal_keysend',
  `select settle_internal_keysend($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, $13, $14::bigint[], $15::bigint[]) as outcome`,
)

/** Raised, with nothing changed, when another payment used the hash while the statement ran. */
const HASH_WAS_TAKEN = 'PY008'

async function settleKeysend(
  ports: MethodPorts,
  intent: PaymentIntent,
  preimage: string,
  wallet: WalletAccount,
  payee: WalletAccount & { readonly username: string },
): Promise<Paid | 'overdrawn' | 'repeated'> {
  const debit = debitOf(ports, intent)(wallet)
  const { snapshotId } = ports.rates
  const lines = await linesBetween(ports, intent, wallet, { ...payee, fixedCredit: undefined })
  try {
    const row = await orOverdrawn(() =>
      ports.db.query(SETTLE_KEYSEND, [
        preimage,
        intent.username,
        intent.connectionId,
        wallet.walletId,
        payee.username,
        payee.walletId,
        intent.amountMsats,
        debit,
        creditOf(ports, intent, { ...payee, fixedCredit: undefined }),
        snapshotId,
        intent.description,
        JSON.stringify(intent.metadata),
        intent.idempotencyKey,
        lines.map((line) => line.accountId),
        lines.map((line) => line.amount),
      ]),
    )
    if (row === 'overdrawn') return row
    if (row?.outcome === 'paid') {
      recordPaid(ports, intent, payee.username)
      return { preimage, debit, walletCode: wallet.code, rateSnapshotId: snapshotId }
    }
  } catch (error) {
    if (sqlState(error) !== HASH_WAS_TAKEN) throw error
  }
  // The hash was used by a copy of this request, by an invoice of this VASP or by a received keysend.
  if ((await findExistingPayment(ports.db, intent)) === undefined)
    throw badInput('This hash was used for another payment.')
  return 'repeated'
}

function recordPaid({ events }: MethodPorts, intent: PaymentIntent, payee: string): void {
  const { paymentHash, amountMsats } = intent
  events.record(paymentEvent('payment succeeded', { ...intent, method: 'internal' }))
  events.record(receivedEvent({ username: payee, paymentHash, amountMsats }, intent.invoice === null))
}

/** The amount that the payee's wallet receives, in its ledger units: the fixed credit, or the amount rounded down. */
function creditOf(
  { rates }: Pick<MethodPorts, 'rates'>,
  { amountMsats }: PaymentIntent,
  { fixedCredit, code }: InvoicePayee,
): bigint {
  const credit = fixedCredit?.credit ?? msatsInLedgerUnits(amountMsats, code, 'down', rates.rateOf)
  if (credit < 1n) throw badInput('The amount is too small: the recipient would receive less than one unit.')
  return credit
}

/**
 * Ledger lines from the payer's wallet to the payee's, with the VASP's fee if a quote is paid. Each side is converted at the rates
 * stored with its quote or fixed-rate invoice, otherwise at the current rates. A wallet that pays itself is neither debited nor
 * credited.
 */
async function linesBetween(
  ports: Pick<MethodPorts, 'house' | 'rates'>,
  intent: PaymentIntent,
  wallet: WalletAccount,
  payee: InvoicePayee,
): Promise<Line[]> {
  const { house, rates } = ports
  const credit = creditOf(ports, intent, payee)
  const { accountId, code } = wallet
  if (accountId === payee.accountId) return []
  const { quote } = intent
  const vaspFee = quote?.vaspFee ?? 0n
  const from = {
    accountId,
    code,
    amount: debitOf(ports, intent)(wallet) - vaspFee,
    rates: quote === undefined ? rates.rateOf : await rates.ofSnapshot(quote.rateSnapshotId),
  }
  const to = {
    accountId: payee.accountId,
    code: payee.code,
    amount: credit,
    rates: payee.fixedCredit === undefined ? rates.rateOf : await rates.ofSnapshot(payee.fixedCredit.rateSnapshotId),
    ...(payee.fixedCredit && { feeMsats: payee.fixedCredit.feeMsats }),
  }
  return mergeLines([
    ...conversionLines(house, from, to),
    { accountId, amount: -vaspFee },
    { accountId: house('fees', code), amount: vaspFee },
  ])
}

async function orOverdrawn<Row>(query: () => Promise<Row[]>): Promise<Row | undefined | 'overdrawn'> {
  try {
    return (await query())[0]
  } catch (error) {
    if (isOverdraft(error)) return 'overdrawn'
    throw error
  }
}

function refusalOf(outcome: Settled['outcome'] | undefined, { quote }: PaymentIntent): Error {
  switch (outcome) {
    case 'expired':
      return badInput(`This ${quote === undefined ? 'invoice' : 'quote'} has expired. Ask for a new one.`)
    case 'taken':
      return badInput(
        quote === undefined
          ? 'Another user has paid this invoice already.'
          : 'Another user has already paid the invoice of this quote.',
      )
    case 'amount':
      return badInput('You have already paid this invoice with a different amount.')
    case 'paid':
    case 'repeated':
    case 'unknown':
    case undefined:
      return new Error(`a payment ended with ${outcome ?? 'nothing'}`)
  }
}
