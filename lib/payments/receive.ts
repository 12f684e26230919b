import { isDescription } from 'uma-auth-vasp'
import { isUsername } from '../accounts/users'
import { nodeAccount, readWallets, walletForBitcoin, type HouseAccounts, type NodeAccounts } from '../ledger/accounts'
import { conversionLines, mergeLines } from '../ledger/conversion'
import type { Rates, RateSnapshot, StoredRates } from '../ledger/rate-snapshot'
import type { CreditPlan, CreditPlanner, IncomingPayment } from '../lightning/credit-planner'
import type { Failure, Keysend, TlvRecord } from '../lightning/node'
import { isCurrencyCode, type CurrencyCode, type RateTable } from '../money/currencies'
import { msatsInLedgerUnits } from '../money/ledger-units'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

interface Ports {
  readonly db: Database
  readonly house: HouseAccounts
  readonly nodeAccounts: NodeAccounts
  readonly rates: Rates
}

/**
 * Plans the credit of incoming payments: to the wallet of the invoice, or to the user that a keysend names. Any other payment is
 * refused as `unknown`.
 */
export function makeCreditPlanner(ports: Ports, publicKeyHex: string): CreditPlanner {
  return {
    planCredit: (incoming) =>
      incoming.keysend === undefined
        ? planForInvoice(ports, incoming)
        : planForKeysend(ports, incoming, incoming.keysend, publicKeyHex),
  }
}

const INVOICE = statement<InvoiceRow>(
  'invoice_to_credit',
  `select i.invoice, i.user_id, i.wallet_id, i.amount_msats, i.description, i.fixed_credit, i.rate_snapshot_id, i.vasp_fee_msats, w.currency_code,
                a.id as account_id
         from invoices i join wallets w on w.id = i.wallet_id
         join ledger_accounts a on a.wallet_id = i.wallet_id and a.kind = 'available'
         where i.payment_hash = $1`,
)

interface InvoiceRow {
  readonly invoice: string | null
  readonly user_id: string
  readonly wallet_id: bigint
  readonly amount_msats: bigint | null
  readonly description: string | null
  readonly fixed_credit: bigint | null
  readonly rate_snapshot_id: string | null
  readonly vasp_fee_msats: bigint
  readonly currency_code: string
  readonly account_id: bigint
}

/** If the payer sent the invoice, its whole text is compared: another invoice with the same hash is not this VASP's. */
async function planForInvoice(ports: Ports, incoming: IncomingPayment): Promise<CreditPlan | { failure: Failure }> {
  const current = ports.rates.current()
  const [row] = await ports.db.query(INVOICE, [incoming.paymentHash])
  if (row === undefined || !isCurrencyCode(row.currency_code)) return { failure: 'unknown' }
  if (incoming.invoice !== undefined && incoming.invoice !== row.invoice) return { failure: 'unknown' }
  // Less arrived than the invoice requires.
  if (row.amount_msats !== null && incoming.amountMsats < row.amount_msats) return { failure: 'amount' }
  const { user_id: username, wallet_id: walletId, account_id: accountId, description } = row
  const fixedRate = await readFixedRate(ports.rates, row)
  const credit = creditLines(ports, incoming, { accountId, code: row.currency_code, fixedRate }, current)
  return credit === undefined ? { failure: 'amount' } : { username, walletId, description, metadata: null, ...credit }
}

/** The fixed credit of an invoice, in ledger units, and the rates it was computed at. */
interface FixedRate {
  readonly credit: bigint
  readonly rates: RateTable
  /** The operator's fee. */
  readonly feeMsats: bigint
}

/** Undefined for an invoice that credits the amount's value at the time of payment. */
async function readFixedRate(
  rates: StoredRates,
  invoice: Pick<InvoiceRow, 'fixed_credit' | 'rate_snapshot_id' | 'vasp_fee_msats'>,
): Promise<FixedRate | undefined> {
  if (invoice.fixed_credit === null || invoice.rate_snapshot_id === null) return undefined
  const { fixed_credit: credit, vasp_fee_msats: feeMsats } = invoice
  return { credit, rates: await rates.ofSnapshot(invoice.rate_snapshot_id), feeMsats }
}

/** Credits the fixed amount, or the value rounded down to whole ledger units. Undefined when that is less than one. */
function creditLines(
  { house, nodeAccounts }: Pick<Ports, 'house' | 'nodeAccounts'>,
  incoming: Pick<IncomingPayment, 'amountMsats' | 'account'>,
  wallet: { readonly accountId: bigint; readonly code: CurrencyCode; readonly fixedRate?: FixedRate | undefined },
  current: RateSnapshot,
): Pick<CreditPlan, 'credited' | 'lines'> | undefined {
  const { accountId, code, fixedRate } = wallet
  const rates = fixedRate?.rates ?? current.rateOf
  const credited = fixedRate?.credit ?? msatsInLedgerUnits(incoming.amountMsats, code, 'down', rates)
  if (credited < 1n) return undefined
  const from = {
    accountId: sourceOf({ house, nodeAccounts }, incoming),
    code: 'SAT' as const,
    amount: incoming.amountMsats,
    rates,
  }
  const to = {
    accountId,
    code,
    amount: credited,
    rates,
    ...(fixedRate && { feeMsats: fixedRate.feeMsats }),
  }
  return { credited, lines: mergeLines(conversionLines(house, from, to)) }
}

/** The ledger account of the peer that owes this VASP the payment, or of the network when the node names no peer. */
export function sourceOf(
  { house, nodeAccounts }: Pick<Ports, 'house' | 'nodeAccounts'>,
  { account }: Pick<IncomingPayment, 'account'>,
): bigint {
  return account === undefined ? house('lightning', 'SAT') : nodeAccount(nodeAccounts, account)
}

/** Record types in common use: the user at the destination, and a text for this user (github.com/satoshisstream/satoshis.stream). */
const USERNAME_RECORD = 696_969
const TEXT_RECORD = 34_349_334

/** A keysend needs no invoice, so payments of one millisatoshi could fill any user's history at no cost. */
export const MIN_KEYSEND_MSATS = 1_000n

/** Credits the user named by record 696969: the SAT wallet if the user has one, otherwise the default wallet. */
async function planForKeysend(
  ports: Ports,
  incoming: IncomingPayment,
  keysend: Keysend,
  publicKeyHex: string,
): Promise<CreditPlan | { failure: Failure }> {
  const current = ports.rates.current()
  if (incoming.amountMsats < MIN_KEYSEND_MSATS) return { failure: 'amount' }
  const username = usernameIn(keysend.records)
  const wallet = username === undefined ? undefined : await walletForKeysend(ports, username)
  if (username === undefined || wallet === undefined) return { failure: 'unknown' }
  const credit = creditLines(ports, incoming, wallet, current)
  if (credit === undefined) return { failure: 'amount' }
  const metadata = { destination: publicKeyHex, tlv_records: keysend.records }
  return { username, walletId: wallet.walletId, description: textIn(keysend.records), metadata, ...credit }
}

const IS_ACTIVE = statement<{ active: boolean }>(
  'user_is_active',
  `select status = 'active' as active from users where id = $1`,
)

/** The wallet that a keysend to a user credits; undefined when there is no such user, or the user is suspended or closed. */
export async function walletForKeysend({ db }: Pick<Ports, 'db'>, username: string) {
  const [user] = await db.query(IS_ACTIVE, [username])
  return user?.active === true ? walletForBitcoin(await readWallets(db, username)) : undefined
}

export function usernameIn(records: readonly TlvRecord[]): string | undefined {
  const text = textOf(records, USERNAME_RECORD)
  return text !== null && isUsername(text) ? text : undefined
}

/** The payer's text; null when there is none or it cannot be shown. */
export function textIn(records: readonly TlvRecord[]): string | null {
  const text = textOf(records, TEXT_RECORD)
  return text !== null && isDescription(text) ? text : null
}

function textOf(records: readonly TlvRecord[], type: number): string | null {
  const record = records.find((each) => each.type === type)
  return record === undefined ? null : Buffer.from(record.value, 'hex').toString('utf8')
}
