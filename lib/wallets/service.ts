import type { Auditor } from '../audit/auditor'
import type { EventRecorder } from '../events/recorder'
import { readWallets, type HouseAccounts, type WalletAccount } from '../ledger/accounts'
import { conversionLines } from '../ledger/conversion'
import { insufficientBalance, postEntry, refusing } from '../ledger/entry'
import type { Rates } from '../ledger/rate-snapshot'
import { convert } from '../money/convert'
import { rateOf as listedRate, type CurrencyCode, type RateTable } from '../money/currencies'
import { msatsInLedgerUnits, toLedgerUnits, worthInMsats } from '../money/ledger-units'
import { ALL_BITCOIN_MSATS } from '../money/limits'
import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { badInput, VaspError } from '../platform/errors'

interface WalletPorts {
  readonly db: Database
  readonly events: Pick<EventRecorder, 'record'>
  readonly house: HouseAccounts
  readonly audit: Pick<Auditor, 'refusePaymentsAfterBreach'>
  readonly rates: Pick<Rates, 'current'>
}

/** A conversion between two wallets of one user. */
interface ConversionRequest {
  readonly username: string
  readonly from: CurrencyCode
  readonly to: CurrencyCode
  /** Ledger units of `from`. */
  readonly amount: bigint
}

interface PricedConversion {
  readonly from: WalletAccount
  readonly to: WalletAccount
  /** The credit, in ledger units of `to`. */
  readonly arrives: bigint
  readonly rateOf: RateTable
}

/**
 * The price of a conversion at the current rate, rounded down both times: first the value in millisatoshis, then the units of
 * the other currency. Nothing is reserved, and the balance is not checked.
 * @throws VaspError 400 for the same wallet twice or an amount worth less than one unit, INSUFFICIENT_BALANCE for an amount
 * that no wallet can hold, 404.
 */
export async function priceConversion(
  { db, rates }: Pick<WalletPorts, 'db' | 'rates'>,
  request: ConversionRequest,
): Promise<PricedConversion> {
  const { rateOf } = rates.current()
  const wallets = await readWallets(db, request.username)
  const from = wallets.find((wallet) => wallet.code === request.from)
  const to = wallets.find((wallet) => wallet.code === request.to)
  if (from === undefined || to === undefined) throw new VaspError(404, 'NOT_FOUND', 'You have no such wallet.')
  if (from === to) throw badInput('Choose two different wallets.')
  const msats = request.amount < 1n ? 0n : worthInMsats(request.amount, from.code, 'down', rateOf)
  // No balance is this large, and converting it could exceed the ledger's 64-bit integers.
  if (msats > ALL_BITCOIN_MSATS) throw insufficientBalance()
  const arrives = msatsInLedgerUnits(msats, to.code, 'down', rateOf)
  if (arrives < 1n) throw badInput(`The amount is worth less than one unit of ${to.code}.`)
  return { from, to, arrives, rateOf }
}

/**
 * Converts at the current rate, by `priceConversion`. Returns the credit, in ledger units.
 * @throws VaspError the errors of `priceConversion`, INSUFFICIENT_BALANCE, and 400 with `isPriceChanged` when the current rate
 * gives another credit than the agreed one. Nothing is converted then.
 */
export async function exchange(
  { db, events, house, audit, rates }: WalletPorts,
  request: ConversionRequest & {
    /** Makes repeated requests take effect only once. */
    readonly requestId: string
    /** The credit that the user agreed to, in ledger units. Undefined: any. */
    readonly agreed?: bigint
  },
): Promise<bigint> {
  audit.refusePaymentsAfterBreach()
  const { from, to, arrives, rateOf } = await priceConversion({ db, rates }, request)
  const { username, agreed } = request
  if (agreed !== undefined && agreed !== arrives)
    throw new VaspError(400, 'OTHER', 'The rate has changed. Nothing was converted.', { isPriceChanged: true })
  const lines = conversionLines(
    house,
    { accountId: from.accountId, code: from.code, amount: request.amount, rates: rateOf },
    { accountId: to.accountId, code: to.code, amount: arrives, rates: rateOf },
  )
  await postEntry(db, { kind: 'exchange', key: conversionKey(username, request.requestId), lines })
  events.record({ kind: 'wallet', name: 'money exchanged', userId: username, summary: `${from.code} to ${to.code}` })
  return arrives
}

const conversionKey = (username: string, requestId: string): string => `exchange:${username}:${requestId}`

/** One side of a conversion. */
interface ConvertedAmount {
  readonly code: CurrencyCode
  /** Ledger units. */
  readonly amount: bigint
}

const CONVERSION = statement<ConvertedAmount>(
  'find_conversion',
  `select a.currency_code as code, abs(p.amount) as amount
         from journal_entries e join postings p on p.entry_id = e.id join ledger_accounts a on a.id = p.account_id
         where e.idempotency_key = $1 and a.kind = 'available' order by p.amount`,
)

/** The user's booked conversion with this request id; undefined before it is booked. */
export async function findConversion(
  db: Database,
  username: string,
  requestId: string,
): Promise<{ readonly from: ConvertedAmount; readonly to: ConvertedAmount } | undefined> {
  const [from, to] = await db.query(CONVERSION, [conversionKey(username, requestId)])
  return from === undefined || to === undefined ? undefined : { from, to }
}

/**
 * The amount of one faucet request and the balance up to which the faucet fills a wallet: about 100 and 10,000 US
 * dollars.
 */
const FAUCET_CENTS = 10_000n
const FULL_CENTS = 1_000_000n

/** Both limits in ledger units of a currency, at the listed rates: they stay the same when rates move. */
export function faucetLimits(code: CurrencyCode): { readonly amount: bigint; readonly full: bigint } {
  const units = (cents: bigint): bigint => toLedgerUnits(convert(cents, 'USD', code, 'down', listedRate), code)
  return { amount: units(FAUCET_CENTS), full: units(FULL_CENTS) }
}

interface FaucetPorts {
  readonly db: Database
  readonly events: Pick<EventRecorder, 'record'>
  readonly settings: Pick<Settings, 'sandboxTools'>
}

const PULL = statement<{ given: boolean }>('pull_faucet', `select pull_faucet($1, $2, $3, $4) as given`)

/**
 * Gives a sandbox user test money from the faucet account. A repeated request adds money only once.
 * @throws VaspError 404 when the sandbox tools are off or the user has no such wallet, 403 when the wallet is full.
 */
export async function pullFaucet(
  { db, events, settings }: FaucetPorts,
  username: string,
  code: CurrencyCode,
  requestId: string,
): Promise<void> {
  if (!settings.sandboxTools) throw new VaspError(404, 'NOT_FOUND', 'This server has no faucet.')
  const wallet = await requireWallet(db, username, code)
  const { amount, full } = faucetLimits(code)
  const params = [`faucet:${username}:${requestId}`, wallet.walletId, amount, full]
  const [row] = await refusing(() => db.query(PULL, params))
  if (row?.given !== true) {
    throw new VaspError(
      403,
      'RESTRICTED',
      'The faucet fills a wallet up to about 10,000 US dollars. Nothing was added.',
    )
  }
  events.record({ kind: 'wallet', name: 'test money added', userId: username, summary: code })
}

export async function requireWallet(db: Database, username: string, code: CurrencyCode): Promise<WalletAccount> {
  const wallet = (await readWallets(db, username)).find((each) => each.code === code)
  if (wallet === undefined) throw new VaspError(404, 'NOT_FOUND', `You have no wallet in ${code}.`)
  return wallet
}
