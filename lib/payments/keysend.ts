import { randomBytes } from 'node:crypto'
import type { Statement } from '../db/database'
import { sqlState } from '../db/sql-state'
import type { Deps } from '../deps'
import { VaspError, badInput } from '../errors'
import { readWallets, type WalletAccount } from '../ledger/accounts'
import { conversionLines } from '../ledger/conversion'
import { insufficientBalance, isOverdraft, mergeLines } from '../ledger/entry'
import type { TlvRecord } from '../lightning/node'
import { hashOfPreimage } from '../lightning/preimage'
import { msatsInLedgerUnits } from '../money/ledger-units'
import type { Paid } from './bill'
import { joinEarlier, type Underway } from './earlier'
import { payThroughNode, type Leaving } from './leave'
import { orJoinEarlier } from './lock-timeout'
import { chooseWallet } from './pay-invoice'
import { refuseOverLimit } from './refusals'
import { LEAST_KEYSEND_MSATS, textIn, usernameIn, walletForKeysend } from './receive'

export interface KeysendRequest {
  readonly username: string
  readonly connectionId: string | null
  readonly wallets: readonly WalletAccount[]
  readonly amountMsats: bigint
  /** Public key of the node that is paid, hex. */
  readonly destination: string
  /** 64 hex digits; made here where the request brings none. */
  readonly preimage: string | undefined
  readonly records: readonly TlvRecord[]
  /** Of the request's `Idempotency-Key`: the same key of the same connection is the same payment. */
  readonly clientKey: string | null
}

/**
 * Sends to a node without an invoice (bLIP-3). To our own node: the user named by record 696969 gets it at once. The same
 * preimage, place and amount again is the payment that it was.
 * @throws VaspError 404 NOT_FOUND (nobody of that name here), 400 as for an invoice, 400 OTHER when the hash or the key was
 * used for something else.
 */
export async function payKeysend(deps: Deps, request: KeysendRequest): Promise<Paid | Underway> {
  deps.audit.refusePaymentsAfterBreach()
  refuseOverLimit(request.amountMsats)
  const preimage = request.preimage ?? randomBytes(32).toString('hex')
  const leaving: Leaving = {
    username: request.username,
    connectionId: request.connectionId,
    wallets: request.wallets,
    paymentHash: hashOfPreimage(preimage),
    hashIsGiven: request.preimage !== undefined,
    invoice: null,
    amountMsats: request.amountMsats,
    metadata: { destination: request.destination, tlv_records: request.records },
    clientKey: request.clientKey,
    payee: request.destination,
    description: textIn(request.records),
    descriptionHash: null,
    expiresAtSeconds: null,
    keysendPreimage: preimage,
  }
  return orJoinEarlier(deps.db, leaving, () =>
    request.destination === deps.node.publicKeyHex ? payOurOwn(deps, leaving, preimage) : payThroughNode(deps, leaving),
  )
}

const SETTLE: Statement = {
  name: 'settle_internal_keysend',
  text: `select settle_internal_keysend($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, $13, $14::bigint[], $15::bigint[]) as outcome`,
}

/** Raised, with nothing kept, when another payment took the hash while the statement ran. */
const HASH_WAS_TAKEN = 'PY008'

async function payOurOwn(deps: Deps, payment: Leaving, preimage: string): Promise<Paid | Underway> {
  // As from outside (`receive.ts`).
  if (payment.amountMsats < LEAST_KEYSEND_MSATS) throw badInput('A keysend to a person here is one satoshi at least.')
  const allowed = payment.wallets.map(({ walletId }) => walletId)
  let { wallets } = payment
  for (let attempt = 0; attempt <= allowed.length + 1; attempt++) {
    const earlier = await joinEarlier(deps.db, payment)
    if (earlier !== undefined) return earlier
    const payee = await payeeOf(deps, payment)
    const wallet = chooseWallet(wallets, payment.amountMsats)
    if (wallet !== undefined) {
      const paid = await settleFrom(deps, payment, preimage, wallet, payee)
      if (paid !== 'again') return paid
    } else if (attempt > 0) throw insufficientBalance()
    wallets = (await readWallets(deps.db, payment.username)).filter(({ walletId }) => allowed.includes(walletId))
  }
  throw insufficientBalance()
}

interface Payee {
  readonly username: string
  readonly wallet: WalletAccount
}

async function payeeOf(deps: Deps, payment: Leaving): Promise<Payee> {
  const username = usernameIn(payment.metadata?.tlv_records ?? [])
  const wallet = username === undefined ? undefined : await walletForKeysend(deps, username)
  if (username === undefined || wallet === undefined)
    throw new VaspError(404, 'NOT_FOUND', 'Nobody here is named by record 696969 of this payment.')
  return { username, wallet }
}

/** `again`: the wallet was emptied at this instant, or a copy of this request was first. */
async function settleFrom(
  deps: Deps,
  payment: Leaving,
  preimage: string,
  wallet: WalletAccount,
  payee: Payee,
): Promise<Paid | 'again'> {
  const debit = msatsInLedgerUnits(payment.amountMsats, wallet.code, 'up')
  const credit = msatsInLedgerUnits(payment.amountMsats, payee.wallet.code, 'down')
  if (credit < 1n) throw badInput('The amount is too small: the receiver would get less than one unit.')
  const from = { accountId: wallet.accountId, code: wallet.code, amount: debit }
  const to = { accountId: payee.wallet.accountId, code: payee.wallet.code, amount: credit }
  const isItself = from.accountId === to.accountId
  const lines = isItself ? [] : mergeLines(conversionLines(deps.house, from, to))
  const params = [
    preimage,
    payment.username,
    payment.connectionId,
    wallet.walletId,
    payee.username,
    payee.wallet.walletId,
    payment.amountMsats,
    debit,
    credit,
    deps.rates.snapshotId,
    payment.description,
    JSON.stringify(payment.metadata),
    payment.clientKey,
    lines.map((line) => line.accountId),
    lines.map((line) => line.amount),
  ]
  try {
    const [row] = await deps.db.query<{ outcome: 'paid' | 'taken' }>(SETTLE, params)
    if (row?.outcome === 'paid')
      return { preimage, debit, walletCode: wallet.code, rateSnapshotId: deps.rates.snapshotId }
  } catch (error) {
    if (isOverdraft(error)) return 'again'
    if (sqlState(error) !== HASH_WAS_TAKEN) throw error
  }
  // A copy of this request, or another use of the hash: an invoice of ours, or a keysend that came in.
  if ((await joinEarlier(deps.db, payment)) === undefined) throw badInput('This hash was used for another payment.')
  return 'again'
}
