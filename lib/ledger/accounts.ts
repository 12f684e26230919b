import { CURRENCY_CODES, isCurrencyCode, type CurrencyCode } from '../money/currencies'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'

/**
 * The chart of accounts. Signs: money owed to a user is positive on the user's account and negative on the operator's.
 * The operator's own accounts are called house accounts.
 *
 * | kind      | whose | what it holds                                                            |
 * |-----------|-------|--------------------------------------------------------------------------|
 * | available | user  | what the user can spend                                                  |
 * | held      | user  | what is reserved for a pending payment                                   |
 * | lightning | house | payments to and from other nodes                                         |
 * | fx        | house | the position between currencies: one leg of a conversion in each          |
 * | fees      | house | income                                                                   |
 * | rounding  | house | residues of divisions; -1 where a quote is short by a fraction of a msat  |
 * | faucet    | house | where a sandbox's money comes from                                       |
 * | suspense  | house | money received without a known payee, minus money sent without a payment, |
 * |           |       | until an operator reviews it                                              |
 * | node      | house | the debt of one other node to us (minus), or ours to it (plus)            |
 */
export type HouseKind = 'lightning' | 'fx' | 'fees' | 'rounding' | 'faucet' | 'suspense'

export type HouseAccounts = (kind: HouseKind, code: CurrencyCode) => bigint

/** There is one house account of each of these kinds in every currency. `suspense` exists in SAT only; a migration creates it. */
const KINDS_OF_EACH_CURRENCY: readonly HouseKind[] = ['lightning', 'fx', 'fees', 'rounding', 'faucet']

/** Inserts only missing accounts, so that a start uses up no ids. Another instance may open the same account first. */
const OPEN_HOUSE = statement(
  'open_house_accounts',
  `insert into ledger_accounts (kind, currency_code)
         select kind, code from unnest($1::text[]) as codes (code), unnest($2::text[]) as kinds (kind)
         where not exists (select from ledger_accounts a
                           where a.kind = kinds.kind and a.currency_code = codes.code and a.wallet_id is null and a.node_key is null)
         on conflict do nothing`,
)
const HOUSE = statement<{ id: bigint; kind: string; currency_code: string }>(
  'house_accounts',
  `select id, kind, currency_code from ledger_accounts where wallet_id is null and node_key is null`,
)

/** Opens the missing house accounts and returns the ids of all. Runs once, at start. */
export async function openHouseAccounts(db: Database): Promise<HouseAccounts> {
  await db.query(OPEN_HOUSE, [CURRENCY_CODES, KINDS_OF_EACH_CURRENCY])
  const rows = await db.query(HOUSE)
  const ids = new Map(rows.map((row) => [`${row.kind} ${row.currency_code}`, row.id]))
  return (kind, code) => {
    const id = ids.get(`${kind} ${code}`)
    if (id === undefined) throw new Error(`no house account ${kind} ${code}`)
    return id
  }
}

/** The ids of the accounts of Lightning nodes, current and former, by the node's public key. */
export type NodeAccounts = ReadonlyMap<string, bigint>

/** @throws Error for a node without an account (a programmer's error). */
export function nodeAccount(accounts: NodeAccounts, publicKeyHex: string): bigint {
  const account = accounts.get(publicKeyHex)
  if (account === undefined) throw new Error(`there is no account for the node ${publicKeyHex.slice(0, 12)}…`)
  return account
}

const OPEN_NODES = statement(
  'open_node_accounts',
  `insert into ledger_accounts (kind, currency_code, balance, node_key)
         select 'node', 'SAT', 0, key from unnest($1::text[]) as keys (key) on conflict do nothing`,
)
const NODES = statement<{ id: bigint; node_key: string }>(
  'node_accounts',
  `select id, node_key from ledger_accounts where node_key between '02' and '04'`,
)

/** Opens an account for each key without one and returns the ids of all. Runs once, at start. */
export async function openNodeAccounts(db: Database, publicKeys: readonly string[]): Promise<NodeAccounts> {
  await db.query(OPEN_NODES, [publicKeys])
  const rows = await db.query(NODES)
  return new Map(rows.map(({ id, node_key: key }) => [key, id]))
}

/** A user's wallet with its accounts and current balances, in ledger units. */
export interface WalletAccount {
  readonly walletId: bigint
  readonly code: CurrencyCode
  readonly accountId: bigint
  readonly available: bigint
  readonly held: bigint
}

type HasCode = Pick<WalletAccount, 'code'>

/** The wallet that receives bitcoin when no currency is named: the SAT wallet, else the first by the user's preference. */
export function walletForBitcoin<Wallet extends HasCode>(wallets: readonly [Wallet, ...Wallet[]]): Wallet
export function walletForBitcoin<Wallet extends HasCode>(wallets: readonly Wallet[]): Wallet | undefined
export function walletForBitcoin<Wallet extends HasCode>(wallets: readonly Wallet[]): Wallet | undefined {
  return wallets.find(({ code }) => code === 'SAT') ?? wallets[0]
}

/**
 * SQL for `wallets w`: the user's order of preference. The same order holds at login, in `/info` and for payments.
 * @param chosen SQL for the user's `default_currency`.
 */
export function walletOrder(chosen: string): string {
  return `(w.currency_code = ${chosen}) desc, w.position`
}

/** `offset 0` makes the planner use the index for each lookup even without statistics. */
const WALLETS = statement<WalletAccount>(
  'wallet_accounts',
  `select w.id as "walletId", w.currency_code as code, a.id as "accountId", a.balance as available, h.balance as held
         from wallets w
         cross join lateral (select id, balance from ledger_accounts
                             where wallet_id = w.id and kind = 'available' offset 0) a
         cross join lateral (select balance from ledger_accounts where wallet_id = w.id and kind = 'held' offset 0) h
         where w.user_id = $1 order by ${walletOrder('(select default_currency from users where id = $1)')}`,
)

/** The user's wallets in order of preference, in one snapshot. */
export async function readWallets(db: Database, username: string): Promise<WalletAccount[]> {
  return (await db.query(WALLETS, [username])).filter(({ code }) => isCurrencyCode(code))
}
