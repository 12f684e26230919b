import { nodeAccount, type WalletAccount } from '../../ledger/accounts'
import { isOverdraft } from '../../ledger/entry'
import { statement } from '../../platform/db/statement'
import { badInput, VaspError } from '../../platform/errors'
import { feeLimitOf, lightningDebit, refuseBelowNodeMinimum } from '../debit'
import { findExistingPayment } from '../idempotency'
import type { OpenPayment } from '../open-payment'
import { paymentEvent } from '../payment-events'
import { LEASE } from '../send'
import type { PaymentIntent, PendingPayment } from '../types'
import type { MethodPorts, PaymentMethod } from './method'

/**
 * Pays any other node: holds the amount and the fee limit in the wallet, commits, and gives the payment to the worker, which
 * sends it. The result is pending.
 */
export const lightning: PaymentMethod = {
  async prepare(ports, intent, isFirstTry) {
    const earlier = isFirstTry && intent.isNew === true ? undefined : await findExistingPayment(ports.db, intent)
    if (earlier !== undefined) return { kind: 'earlier', result: earlier }
    const account = ports.node.accountFor(intent.payee)
    if (account === undefined) return undefined
    // A payment that could not be booked must not leave.
    nodeAccount(ports.nodeAccounts, account)
    const { quote, amountMsats } = intent
    refuseBelowNodeMinimum(ports, amountMsats)
    const debitOf = quote === undefined ? lightningDebit(amountMsats, ports.rates.rateOf) : () => quote.debit
    return {
      kind: 'ready',
      debitOf,
      start: (wallet) =>
        ports.paymentWorker.begin(() => hold(ports, intent, { wallet, account, debit: debitOf(wallet) })),
    }
  },
}

const HOLD = statement<HoldRow>(
  'hold_payment',
  `select outcome, payment_id
         from hold_payment($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, to_timestamp($15::bigint), $16,
                           $17::jsonb, $18, $19, $20, interval '${LEASE}')`,
)

type HoldOutcome = 'held' | 'known' | 'wrapped' | 'expired' | 'many'

interface HoldRow {
  readonly outcome: HoldOutcome
  readonly payment_id: bigint | null
}

async function hold(
  ports: MethodPorts,
  intent: PaymentIntent,
  { wallet, account, debit }: { readonly wallet: WalletAccount; readonly account: string; readonly debit: bigint },
): Promise<PendingPayment | 'overdrawn' | 'repeated'> {
  const { paymentHash, invoice, amountMsats, keysendPreimage, metadata, quote } = intent
  const feeLimitMsats = quote?.feeLimitMsats ?? feeLimitOf(amountMsats)
  const rateSnapshotId = quote?.rateSnapshotId ?? ports.rates.snapshotId
  const row = await holdOrOverdrawn(ports, [
    paymentHash,
    invoice,
    intent.username,
    intent.connectionId,
    wallet.walletId,
    quote?.quoteId ?? null,
    account,
    intent.payee,
    amountMsats,
    feeLimitMsats,
    debit,
    rateSnapshotId,
    intent.description,
    intent.descriptionHash,
    intent.expiresAtSeconds,
    keysendPreimage,
    metadata === null ? null : JSON.stringify(metadata),
    intent.idempotencyKey,
    ports.settings.maxOpenPaymentsPerUser,
    ports.paymentWorker.name,
  ])
  if (row === 'overdrawn') return row
  if (row.outcome === 'known') return 'repeated'
  if (row.outcome !== 'held' || row.payment_id === null) throw refusalOf(row.outcome, intent)
  const payment: OpenPayment = {
    id: row.payment_id,
    username: intent.username,
    connectionId: intent.connectionId,
    paymentHash,
    invoice,
    walletCode: wallet.code,
    account,
    payee: intent.payee,
    amountMsats,
    feeLimitMsats,
    debit,
    rateSnapshotId,
    keysendPreimage,
    metadata,
    vaspFee: quote?.vaspFee ?? null,
  }
  ports.paymentWorker.take(payment)
  ports.events.record(paymentEvent('payment held', payment))
  return { paymentId: payment.id }
}

async function holdOrOverdrawn(ports: MethodPorts, params: readonly unknown[]): Promise<HoldRow | 'overdrawn'> {
  try {
    const [row] = await ports.db.query(HOLD, params)
    if (row === undefined) throw new Error('hold_payment returned no row')
    return row
  } catch (error) {
    if (isOverdraft(error)) return 'overdrawn'
    throw error
  }
}

function refusalOf(outcome: HoldOutcome, { quote }: PaymentIntent): Error {
  switch (outcome) {
    case 'expired':
      return badInput(`This ${quote === undefined ? 'invoice' : 'quote'} has expired. Ask for a new one.`)
    case 'wrapped':
      return badInput('This invoice has the payment hash of another invoice. Nothing was paid. Ask for a new invoice.')
    case 'many':
      return new VaspError(
        429,
        'RATE_LIMITED',
        'You have too many payments in progress. Try again when some have finished.',
        { headers: { 'Retry-After': '5' } },
      )
    case 'held':
    case 'known':
      return new Error(`a hold ended with ${outcome}`)
  }
}
