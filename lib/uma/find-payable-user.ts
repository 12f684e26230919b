import { walletForBitcoin, walletOrder } from '../ledger/accounts'
import { currencyOf, isCurrencyCode, multiplierOf, type CurrencyCode, type RateTable } from '../money/currencies'
import { maxWithFee, minDebitForOneMsat } from '../money/fee'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { limitsOf, MAX_PAYMENT_MSATS, type Limits } from '../money/limits'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { umaFault } from './fault'
import { allTaken, nonceParams, takingNonces, usedNonce, type Nonce } from './nonces'
import type { Found, PaidWallet, PayableUser } from './payable-user'
import type { ReceiverCurrency } from './types'

const USER = statement<UserRow>(
  'uma_user',
  `select u.status, u.display_name, w.id as wallet_id, w.currency_code
         from users u join wallets w on w.user_id = u.id where u.id = $1 order by ${walletOrder('u.default_currency')}`,
)
const USER_OF_MESSAGE = statement<Nullable<UserRow> & { readonly fresh: boolean }>(
  'uma_user_of_message',
  `with ${takingNonces(2)}
         select ${allTaken(2)} as fresh, u.status, u.display_name, w.id as wallet_id, w.currency_code
         from (select) as one left join users u on u.id = $1 left join wallets w on w.user_id = u.id
         order by ${walletOrder('u.default_currency')}`,
)

interface UserRow {
  readonly status: string
  readonly display_name: string
  readonly wallet_id: bigint
  readonly currency_code: string
}

type Nullable<Row> = { readonly [Column in keyof Row]: Row[Column] | null }

/** Finds a user who can be paid (`FindRecipient`). It takes one round trip, whether or not the user exists. */
export async function findPayableUser(db: Database, username: string, nonce?: Nonce): Promise<Found> {
  const rows = nonce === undefined ? await db.query(USER, [username]) : await readTakingNonce(db, username, nonce)
  const wallets = rows.flatMap(({ wallet_id: walletId, currency_code: code }) =>
    walletId !== null && code !== null && isCurrencyCode(code) ? [{ walletId, code }] : [],
  )
  const [first] = rows
  if (first === undefined || first.display_name === null || wallets.length === 0) return 'unknown'
  if (first.status === 'active') return { username, displayName: first.display_name, wallets }
  return first.status === 'suspended' ? 'suspended' : 'unknown'
}

async function readTakingNonce(db: Database, username: string, nonce: Nonce): Promise<Nullable<UserRow>[]> {
  const rows = await db.query(USER_OF_MESSAGE, [username, ...nonceParams([nonce])])
  if (rows[0]?.fresh !== true) throw usedNonce()
  return rows
}

/** The currencies in which a user can be paid, with their limits, at these rates. */
export function currenciesOf(wallets: readonly PaidWallet[], feeBps: number, rates: RateTable): ReceiverCurrency[] {
  return wallets.map(({ code }) => ({
    ...currencyOf(code),
    msatsPerUnit: multiplierOf(code, rates),
    ...receivingLimits(code, feeBps, rates),
  }))
}

/**
 * The limits of a request in whole units of a currency. The receive fee is added, and the sum must fit into one
 * payment.
 */
export function receivingLimits(code: CurrencyCode, feeBps: number, rates: RateTable): Limits {
  const { min, max } = limitsOf(code, rates)
  const mostUnits = msatsInLedgerUnits(maxWithFee(MAX_PAYMENT_MSATS, feeBps), code, 'down', rates)
  const most = fromLedgerUnits(mostUnits, code, 'down')
  return { min, max: most < max ? most : max }
}

/** The minimum amount that buys one unit of one of the wallets' currencies after the receive fee, rounded up. */
export function minReceivableMsats(wallets: readonly PaidWallet[], feeBps: number, rates: RateTable): bigint {
  const each = wallets.map(({ code }) =>
    minDebitForOneMsat(worthInMsats(toLedgerUnits(limitsOf(code, rates).min, code), code, 'up', rates), feeBps),
  )
  return each.reduce((least, msats) => (msats < least ? msats : least), MAX_PAYMENT_MSATS)
}

/** The wallet for a payment that names no currency. */
export function walletOfPlain({ wallets }: PayableUser): PaidWallet {
  const wallet = walletForBitcoin(wallets)
  if (wallet === undefined) throw new Error('the user has no wallet')
  return wallet
}

/** @throws UmaFault AMOUNT_OUT_OF_RANGE */
export function refuseOutOfRange(amount: bigint, { min, max }: Limits): void {
  if (amount < min || amount > max)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The amount is below the minimum or above the maximum that can be received.')
}
