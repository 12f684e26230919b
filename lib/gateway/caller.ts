import type { TokenClaims } from '../auth/tokens'
import type { Database, Statement } from '../db/database'
import { VaspError, badInput, unauthorized } from '../errors'
import type { WalletAccount } from '../ledger/accounts'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import { billAsJson, toOwnInvoice, type BillJson, type OwnInvoice } from '../payments/bill'
import type { NamedInvoice } from '../payments/named-invoice'

/** For whom a request is carried out: token and account were both good when the statement ran. */
export interface Caller {
  readonly username: string
  readonly use: TokenClaims['use']
  /** The token's `jti`: the connection's id, or the login's. */
  readonly tokenId: string
  readonly scope: readonly string[]
  /** The user's wallets by preference, with the balances of this moment; the first is the default. */
  readonly wallets: readonly [WalletAccount, ...WalletAccount[]]
  /** The invoice that the request is about, where it is one of this VASP: read at the same moment as the wallets. */
  readonly invoice: OwnInvoice | undefined
}

/**
 * Wallets and balances as one JSON text: integers as text, since JSON readers bend large ones. `offset 0` keeps each
 * look-up on its index: joined, all accounts were compared with all others where no statistics had been gathered.
 */
const WALLETS = `(select coalesce(json_agg(json_build_array(w.id::text, w.currency_code, a.id::text, a.balance::text, h.balance::text)
                                          order by w.position), '[]'::json)
                  from wallets w
                  cross join lateral (select id, balance from ledger_accounts
                                      where wallet_id = w.id and kind = 'available' offset 0) a
                  cross join lateral (select balance from ledger_accounts
                                      where wallet_id = w.id and kind = 'held' offset 0) h
                  where w.user_id = caller.username) as wallets`

/**
 * "Revoked?", "active?" and the user's wallets in one round trip, read anew at each request: a revocation needs no bus
 * between instances, and where the database does not answer nobody gets in. `last_used_at` is written at most once in
 * ten seconds, by the same statement.
 */
const CONNECTION = `with caller as (
           select u.id as username, c.id, c.last_used_at
           from connections c join users u on u.id = c.user_id
           where c.id = $1 and c.user_id = $2 and c.revoked_at is null and u.status = 'active'
         ), touched as (
           update connections set last_used_at = now()
           where id in (select id from caller where last_used_at is null or last_used_at < now() - interval '10 seconds')
         )`

const CONNECTION_CALLER: Statement = {
  name: 'connection_caller',
  text: `${CONNECTION} select username, ${WALLETS} from caller`,
}

const CONNECTION_CALLER_AND_BILL: Statement = {
  name: 'connection_caller_and_bill',
  text: `${CONNECTION} select username, ${WALLETS}, ${billAsJson('$3', '$4', 'caller.username')} as bill from caller`,
}

const LOGIN_CALLER: Statement = {
  name: 'login_caller',
  text: `with caller as (
           select u.id as username
           from login_grants g join users u on u.id = g.user_id
           where g.id = $1 and g.user_id = $2 and g.closed_at is null and u.status = 'active'
         )
         select username, ${WALLETS} from caller`,
}

/**
 * The caller behind a verified token, and with it the bill of the invoice that the request names.
 * @throws VaspError 401 for a token that was revoked or never issued here, and for an account that is gone or suspended;
 * 403 for an account without a wallet.
 */
export async function readCaller(db: Database, claims: TokenClaims, named?: NamedInvoice): Promise<Caller> {
  const row = await readRow(db, claims, named)
  if (row === undefined) throw unauthorized()
  const [first, ...others] = row.wallets.flatMap(toWallet)
  if (first === undefined) throw new VaspError(403, 'RESTRICTED', 'This account has no wallet yet.')
  return {
    username: row.username,
    use: claims.use,
    tokenId: claims.id,
    scope: claims.scope,
    wallets: [first, ...others],
    invoice: named === undefined || row.bill == null ? undefined : toOwnInvoice(named, row.bill),
  }
}

interface Row {
  readonly username: string
  readonly wallets: readonly WalletRow[]
  readonly bill?: BillJson | null
}

async function readRow(db: Database, { use, id, username }: TokenClaims, named?: NamedInvoice) {
  if (use === 'login') return (await db.query<Row>(LOGIN_CALLER, [id, username]))[0]
  if (named === undefined) return (await db.query<Row>(CONNECTION_CALLER, [id, username]))[0]
  const params = [id, username, named.paymentHash, named.invoice]
  return (await db.query<Row>(CONNECTION_CALLER_AND_BILL, params))[0]
}

type WalletRow = readonly [walletId: string, code: string, accountId: string, available: string, held: string]

function toWallet([walletId, code, accountId, available, held]: WalletRow): WalletAccount[] {
  if (!isCurrencyCode(code)) return []
  return [
    {
      walletId: BigInt(walletId),
      code,
      accountId: BigInt(accountId),
      available: BigInt(available),
      held: BigInt(held),
    },
  ]
}

/** @throws VaspError 400 OTHER when the person has no wallet in the currency. */
export function walletIn({ wallets }: Pick<Caller, 'wallets'>, code: CurrencyCode): WalletAccount {
  const wallet = wallets.find((each) => each.code === code)
  if (wallet === undefined) throw badInput(`There is no wallet in ${code}.`)
  return wallet
}
