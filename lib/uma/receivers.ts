import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { walletForBitcoin, type WalletAccount } from '../ledger/accounts'
import { currencyOf, isCurrencyCode, type CurrencyCode } from '../money/currencies'
import { leastThatLeaves, mostWithFee } from '../money/fee'
import { fromLedgerUnits, msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { MOST_PAYMENT_MSATS, limitsOf, type Limits } from '../money/limits'
import { multiplierOf } from '../money/rates'
import type { ReceiverCurrency } from './counterparty'
import { umaFault } from './fault'
import { besideNonce, type Reading } from './nonces'
import { OPEN_INVOICES, type Open } from './open-invoices'
import { siteOf } from './sites'

/** Somebody of this VASP who can be paid. */
export interface OwnPerson {
  readonly username: string
  readonly displayName: string
  /** By preference; never empty. */
  readonly wallets: readonly PaidWallet[]
}

export type PaidWallet = Pick<WalletAccount, 'walletId' | 'code'>

const COLUMNS = 'u.status, u.display_name, w.id as wallet_id, w.currency_code, w.position'
const WALLETS = 'from users u join wallets w on w.user_id = u.id where u.id = $1'
const PERSON = statement<PersonRow>('uma_person', `select ${COLUMNS} ${WALLETS} order by w.position`)
const PERSON_BESIDE_NONCE = statement<PersonRow>(
  'uma_person_beside_nonce',
  besideNonce(`select ${COLUMNS} ${WALLETS}`, 'position'),
)
const PAYEE_BESIDE_NONCE = statement<PersonRow & Open>(
  'uma_payee_beside_nonce',
  besideNonce(`select ${COLUMNS}, (${OPEN_INVOICES}) as open ${WALLETS}`, 'position'),
)

interface PersonRow {
  /** Only for the order. */
  readonly position: number
  readonly status: string
  readonly display_name: string
  readonly wallet_id: bigint
  readonly currency_code: string
}

/** `unknown`: nobody has that name; `suspended`: somebody has, and takes no money now. */
export type Found = OwnPerson | 'unknown' | 'suspended'

/** One round trip, whether there is such a person or not. */
export async function findOwnPerson(db: Database, username: string): Promise<Found> {
  return personOf(username, await db.query(PERSON, [username]))
}

/** The same with the nonce of a message that names the person. */
export function readingPerson(username: string): Reading<PersonRow> {
  return { statement: PERSON_BESIDE_NONCE, params: [username], none: isNobody }
}

/** The same, with how many of the person's invoices for the payer's site wait to be paid. */
export function readingPayee(username: string, payerDomain: string): Reading<PersonRow & Open> {
  return { statement: PAYEE_BESIDE_NONCE, params: [username, siteOf(payerDomain)], none: isNobody }
}

/** Beside a nonce there is a row, though nobody was found. */
function isNobody({ wallet_id: walletId }: { readonly wallet_id: bigint | null }): boolean {
  return walletId === null
}

export function personOf(username: string, rows: readonly PersonRow[]): Found {
  const wallets = rows.flatMap(({ wallet_id: walletId, currency_code: code }) =>
    isCurrencyCode(code) ? [{ walletId, code }] : [],
  )
  const [first] = rows
  if (first === undefined || wallets.length === 0) return 'unknown'
  return first.status === 'active' ? { username, displayName: first.display_name, wallets } : 'suspended'
}

/** What a person can be paid in, at the rates and limits of this moment. */
export function currenciesOf(wallets: readonly PaidWallet[], feeBps: number): ReceiverCurrency[] {
  return wallets.map(({ code }) => ({
    ...currencyOf(code),
    msatsPerUnit: multiplierOf(code),
    ...receivingLimits(code, feeBps),
  }))
}

/** What can be asked for in whole units of a currency: the house's fee comes on top, and the whole is one payment. */
export function receivingLimits(code: CurrencyCode, feeBps: number): Limits {
  const { min, max } = limitsOf(code)
  const most = fromLedgerUnits(msatsInLedgerUnits(mostWithFee(MOST_PAYMENT_MSATS, feeBps), code, 'down'), code, 'down')
  return { min, max: most < max ? most : max }
}

/** The least that buys one unit of one of the wallets' currencies when the house has taken its fee out, rounded up. */
export function leastMsats(wallets: readonly PaidWallet[], feeBps: number): bigint {
  const each = wallets.map(({ code }) =>
    leastThatLeaves(worthInMsats(toLedgerUnits(limitsOf(code).min, code), code, 'up'), feeBps),
  )
  return each.reduce((least, msats) => (msats < least ? msats : least), MOST_PAYMENT_MSATS)
}

/** Where a payment goes that names no currency. */
export function walletOfPlain({ wallets }: OwnPerson): PaidWallet {
  const wallet = walletForBitcoin(wallets)
  if (wallet === undefined) throw new Error('the person has no wallet')
  return wallet
}

/** @throws UmaFault AMOUNT_OUT_OF_RANGE */
export function refuseOutOfRange(amount: bigint, { min, max }: Limits): void {
  if (amount < min || amount > max)
    throw umaFault('AMOUNT_OUT_OF_RANGE', 'The amount is below the least or above the most that can be received.')
}
