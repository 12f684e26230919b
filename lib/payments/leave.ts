import type { Statement } from '../db/database'
import type { Deps } from '../deps'
import { VaspError, badInput } from '../errors'
import { readWallets, type WalletAccount } from '../ledger/accounts'
import { insufficientBalance, isOverdraft } from '../ledger/entry'
import { msatsInLedgerUnits } from '../money/ledger-units'
import type { Paid } from './bill'
import { LEASE } from './carry'
import { joinEarlier, type Asked, type Underway } from './earlier'
import { paymentFailed } from './failures'
import { feeLimitOf } from './fee-limit'
import { noRoute, tooExpensive } from './refusals'

/** A payment to another node. */
export interface Leaving extends Asked {
  /** Those that may pay, by preference, as they were read. */
  readonly wallets: readonly WalletAccount[]
  /** What a person agreed to pay, in ledger units of the one wallet given. */
  readonly mostDebit?: bigint | undefined
  /** Public key of the node that is paid, hex. */
  readonly payee: string
  readonly description: string | null
  readonly descriptionHash: string | null
  readonly expiresAtSeconds: number | null
  readonly keysendPreimage: string | null
  /** What a quote promised; without it, what the amount costs now and a fee limit of its own. */
  readonly terms?: Terms | undefined
  /** Nothing was found, a moment ago, that it could join: the hold says so should that have changed. */
  readonly isNew?: boolean
}

/** What a payment takes from its wallet, as it was agreed on. */
export interface Terms {
  readonly quoteId: bigint
  /** Ledger units of the one wallet given. */
  readonly debit: bigint
  /** Our fee, a part of it. */
  readonly vaspFee: bigint
  readonly feeLimitMsats: bigint
  readonly rateSnapshotId: string
}

/**
 * Holds amount and fee limit of a payment to another node in the first wallet that covers both, and lets the worker carry
 * it. The same request again, at the same instant and on another instance too, joins the first.
 * @throws VaspError 400 PAYMENT_FAILED (no route), INSUFFICIENT_BALANCE, QUOTA_EXCEEDED (more than was agreed), OTHER
 * (expired, somebody else's, another amount), 429 RATE_LIMITED when too many payments of this user are under way, 503 when
 * this process is about to end.
 */
export async function payThroughNode(deps: Deps, payment: Leaving): Promise<Paid | Underway> {
  return deps.paymentWorker.begin(() => holdAndSend(deps, payment))
}

async function holdAndSend(deps: Deps, payment: Leaving): Promise<Paid | Underway> {
  const allowed = payment.wallets.map(({ walletId }) => walletId)
  let { wallets } = payment
  // Once as they were read by the caller, then once a wallet, and once more to see that none is left. That a copy was first
  // says nothing of the wallets, and is not counted: should that one have failed, this one has its own try.
  for (let attempt = 0, copies = 0; attempt <= allowed.length + 1;) {
    const isFirst = payment.isNew === true && attempt === 0 && copies === 0
    const earlier = isFirst ? undefined : await joinEarlier(deps.db, payment)
    if (earlier !== undefined) return earlier
    // Only here, where none is under way: a copy that still lives may succeed.
    if (copies >= MOST_COPIES) throw paymentFailed(null)
    const peer = deps.node.routeTo(payment.payee)
    if (peer === undefined) throw noRoute(deps, payment.payee)
    const wallet = walletThatCovers(wallets, payment)
    if (wallet !== undefined) {
      const held = await holdIn(deps, payment, wallet, peer)
      if (typeof held === 'object') return held
      if (held === 'known') {
        copies += 1
        continue
      }
    } else if (attempt > 0) throw insufficientBalance()
    attempt += 1
    wallets = (await readWallets(deps.db, payment.username)).filter(({ walletId }) => allowed.includes(walletId))
  }
  throw insufficientBalance()
}

/** The first wallet, in the user's order, that covers an amount and what the route may take on top of it. */
export function walletFor(wallets: readonly WalletAccount[], amountMsats: bigint): WalletAccount | undefined {
  return wallets.find((each) => each.available >= mostDebitIn(each, amountMsats))
}

function walletThatCovers(
  wallets: readonly WalletAccount[],
  { terms, amountMsats }: Leaving,
): WalletAccount | undefined {
  return terms === undefined ? walletFor(wallets, amountMsats) : wallets.find((each) => each.available >= terms.debit)
}

/** What is held, in ledger units of the wallet: amount and fee limit, rounded up. */
function mostDebitIn({ code }: Pick<WalletAccount, 'code'>, amountMsats: bigint): bigint {
  return msatsInLedgerUnits(amountMsats + feeLimitOf(amountMsats), code, 'up')
}

const HOLD: Statement = {
  name: 'hold_payment',
  text: `select outcome, payment_id
         from hold_payment($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, to_timestamp($15::bigint), $16,
                           $17::jsonb, $18, $19, $20, interval '${LEASE}')`,
}

type HoldOutcome = 'held' | 'known' | 'wrapped' | 'expired' | 'many'

/** How many copies of one request may fail while this one looks on. */
const MOST_COPIES = 20

/** `overdrawn`: the wallet was emptied at this instant. `known`: a copy of this request was first. */
async function holdIn(
  deps: Deps,
  payment: Leaving,
  wallet: WalletAccount,
  peer: string,
): Promise<Underway | 'overdrawn' | 'known'> {
  const { terms } = payment
  const feeLimitMsats = terms?.feeLimitMsats ?? feeLimitOf(payment.amountMsats)
  const debit = terms?.debit ?? mostDebitIn(wallet, payment.amountMsats)
  if (payment.mostDebit !== undefined && debit > payment.mostDebit) throw tooExpensive()
  const snapshotId = terms?.rateSnapshotId ?? deps.rates.snapshotId
  const params = [
    payment.paymentHash,
    payment.invoice,
    payment.username,
    payment.connectionId,
    wallet.walletId,
    terms?.quoteId ?? null,
    peer,
    payment.payee,
    payment.amountMsats,
    feeLimitMsats,
    debit,
    snapshotId,
    payment.description,
    payment.descriptionHash,
    payment.expiresAtSeconds,
    payment.keysendPreimage,
    payment.metadata === null ? null : JSON.stringify(payment.metadata),
    payment.clientKey,
    deps.settings.maxOpenPaymentsPerUser,
    deps.paymentWorker.name,
  ]
  const row = await holdOrOverdraw(deps, params)
  if (row === 'overdrawn') return row
  if (row.outcome === 'known') return row.outcome
  if (row.outcome !== 'held' || row.payment_id === null)
    throw refusalOf(row.outcome, terms === undefined ? 'invoice' : 'quote')
  const { paymentHash, invoice, amountMsats, keysendPreimage, metadata } = payment
  deps.paymentWorker.take({
    id: row.payment_id,
    paymentHash,
    invoice,
    walletCode: wallet.code,
    peer,
    amountMsats,
    feeLimitMsats,
    debit,
    rateSnapshotId: snapshotId,
    keysendPreimage,
    metadata,
    vaspFee: terms?.vaspFee ?? null,
  })
  return { paymentId: row.payment_id }
}

interface HoldRow {
  readonly outcome: HoldOutcome
  readonly payment_id: bigint | null
}

async function holdOrOverdraw(deps: Deps, params: readonly unknown[]): Promise<HoldRow | 'overdrawn'> {
  try {
    const [row] = await deps.db.query<HoldRow>(HOLD, params)
    if (row === undefined) throw new Error('hold_payment gave no row')
    return row
  } catch (error) {
    if (isOverdraft(error)) return 'overdrawn'
    throw error
  }
}

function refusalOf(outcome: HoldOutcome, what: 'invoice' | 'quote'): Error {
  switch (outcome) {
    case 'expired':
      return badInput(`This ${what} has expired. Ask for a new one.`)
    case 'wrapped':
      return badInput('This invoice carries the payment hash of another one, so it is not paid here.')
    case 'many':
      return new VaspError(
        429,
        'RATE_LIMITED',
        'Many of your payments are still under way. Try again when some ended.',
        {
          headers: { 'Retry-After': '5' },
        },
      )
    case 'held':
    case 'known':
      return new Error(`a hold ended with ${outcome}`)
  }
}
