import type { Database, Statement } from '../db/database'
import type { WalletAccount } from '../ledger/accounts'
import { currencyOf, isCurrencyCode } from '../money/currencies'
import { toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { limitsOf, type Limits } from '../money/limits'
import { multiplierOf } from '../money/rates'
import type { ReceiverCurrency } from './counterparty'
import { umaFault } from './fault'

/** Somebody of this VASP who can be paid. */
export interface OwnPerson {
  readonly username: string
  readonly displayName: string
  /** By preference; never empty. */
  readonly wallets: readonly PaidWallet[]
}

export type PaidWallet = Pick<WalletAccount, 'walletId' | 'code'>

const PERSON: Statement = {
  name: 'uma_person',
  text: `select u.status, u.display_name, w.id as wallet_id, w.currency_code
         from users u join wallets w on w.user_id = u.id where u.id = $1 order by w.position`,
}

interface PersonRow {
  readonly status: string
  readonly display_name: string
  readonly wallet_id: bigint
  readonly currency_code: string
}

/** `unknown`: nobody has that name; `suspended`: somebody has, and takes no money now. */
export type Found = OwnPerson | 'unknown' | 'suspended'

/** One round trip, whether there is such a person or not. */
export async function findOwnPerson(db: Database, username: string): Promise<Found> {
  const rows = await db.query<PersonRow>(PERSON, [username])
  const wallets = rows.flatMap(({ wallet_id: walletId, currency_code: code }) =>
    isCurrencyCode(code) ? [{ walletId, code }] : [],
  )
  const [first] = rows
  if (first === undefined || wallets.length === 0) return 'unknown'
  return first.status === 'active' ? { username, displayName: first.display_name, wallets } : 'suspended'
}

/** What a person can be paid in, at the rates and limits of this moment. */
export function currenciesOf(wallets: readonly PaidWallet[]): ReceiverCurrency[] {
  return wallets.map(({ code }) => ({ ...currencyOf(code), msatsPerUnit: multiplierOf(code), ...limitsOf(code) }))
}

/** The most that one payment may be worth. */
export const MOST_MSATS = toLedgerUnits(limitsOf('SAT').max, 'SAT')

/** The least that buys one unit of one of the wallets' currencies, rounded up. */
export function leastMsats(wallets: readonly PaidWallet[]): bigint {
  const each = wallets.map(({ code }) => worthInMsats(toLedgerUnits(limitsOf(code).min, code), code, 'up'))
  return each.reduce((least, msats) => (msats < least ? msats : least), MOST_MSATS)
}

/** @throws UmaFault AMOUNT_OUT_OF_RANGE */
export function refuseOutOfRange(amount: bigint, { min, max }: Limits): void {
  if (amount < min || amount > max)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The amount is below the least or above the most that can be received.')
}
