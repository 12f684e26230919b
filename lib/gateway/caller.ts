import { askedTogether } from '../asked-together'
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
 * "Revoked?", "active?", the user's wallets and the bill in one round trip for everybody who asks at this moment, read anew
 * at each request: a revocation needs no bus between instances, and where the database does not answer nobody gets in.
 * The arrays are selected, so that their lengths are unknown to the planner, which would plan anew for each.
 */
const CONNECTION_CALLERS: Statement = {
  name: 'connection_callers',
  text: `select asked.place, caller.username, caller.touch_due, ${WALLETS},
                case when asked.hash is not null then ${billAsJson('asked.hash', 'asked.invoice', 'caller.username')} end as bill
         from unnest((select $1::text[]), (select $2::text[]), (select $3::text[]), (select $4::text[]))
                with ordinality as asked (id, username, hash, invoice, place)
         cross join lateral (select u.id as username,
                                    coalesce(c.last_used_at < now() - interval '10 seconds', true) as touch_due
                             from connections c join users u on u.id = c.user_id
                             where c.id = asked.id and c.user_id = asked.username and c.revoked_at is null
                               and u.status = 'active' offset 0) caller`,
}

/**
 * At most once in ten seconds for each connection. Rows that somebody else has locked are being touched or changed at this
 * moment: passing over them keeps two rounds from waiting for each other.
 */
const TOUCH: Statement = {
  name: 'touch_connections',
  text: `update connections set last_used_at = now()
         where id in (select id from connections
                      where id = any($1::text[]) and (last_used_at is null or last_used_at < now() - interval '10 seconds')
                      for no key update skip locked)`,
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
export type ReadCaller = (claims: TokenClaims, named?: NamedInvoice) => Promise<Caller>

export function makeReadCaller(db: Database): ReadCaller {
  const readConnection = askedTogether((asked: readonly Asked[]) => readConnections(db, asked))
  return async (claims, named) => {
    const { use, id, username } = claims
    const row = await (use === 'login' ? readLogin(db, id, username) : readConnection({ id, username, named }))
    if (row === undefined) throw unauthorized()
    const [first, ...others] = row.wallets.flatMap(toWallet)
    if (first === undefined) throw new VaspError(403, 'RESTRICTED', 'This account has no wallet yet.')
    return {
      username: row.username,
      use,
      tokenId: id,
      scope: claims.scope,
      wallets: [first, ...others],
      invoice: named === undefined || row.bill == null ? undefined : toOwnInvoice(named, row.bill),
    }
  }
}

interface Row {
  readonly username: string
  readonly wallets: readonly WalletRow[]
  readonly bill?: BillJson | null
}

async function readLogin(db: Database, id: string, username: string): Promise<Row | undefined> {
  return (await db.query<Row>(LOGIN_CALLER, [id, username]))[0]
}

interface Asked {
  readonly id: string
  readonly username: string
  readonly named: NamedInvoice | undefined
}

type ConnectionRow = Row & { readonly place: bigint; readonly touch_due: boolean }

async function readConnections(db: Database, asked: readonly Asked[]): Promise<(Row | undefined)[]> {
  const rows = await db.query<ConnectionRow>(CONNECTION_CALLERS, [
    asked.map(({ id }) => id),
    asked.map(({ username }) => username),
    asked.map(({ named }) => named?.paymentHash ?? null),
    asked.map(({ named }) => named?.invoice ?? null),
  ])
  const found: (Row | undefined)[] = asked.map(() => undefined)
  const due: string[] = []
  for (const row of rows) {
    const index = Number(row.place) - 1
    found[index] = row
    if (row.touch_due) due.push(asked[index]?.id ?? '')
  }
  if (due.length > 0) await db.query(TOUCH, [due])
  return found
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
