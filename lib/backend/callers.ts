import type { TokenClaims } from 'uma-auth-vasp'
import { walletOrder, type WalletAccount } from '../ledger/accounts'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'
import { createBatchLoader } from '../platform/concurrency/batch-loader'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { badInput, VaspError } from '../platform/errors'
import { writeIfPossible } from '../platform/failures'

/** The user behind a token. The token and the account were both valid when the statement ran. */
export interface Caller {
  readonly username: string
  readonly displayName: string
  /** Id of the connection, or of the login. */
  readonly tokenId: string
  /** Faults of the connection may be active. They apply only with the sandbox tools (`faults.ts`). */
  readonly hasFaults: boolean
  /** The user's wallets in order of preference, with their current balances; the first is the default. */
  readonly wallets: readonly [WalletAccount, ...WalletAccount[]]
}

/**
 * Wallets and balances as one JSON text: integers as text, because JSON readers round large ones. `offset 0` keeps each lookup
 * on its index: without statistics, the planner would compare all accounts with each other.
 */
const WALLETS = `(select coalesce(json_agg(json_build_array(w.id::text, w.currency_code, a.id::text, a.balance::text, h.balance::text)
                                          order by ${walletOrder('caller.default_currency')}), '[]'::json)
                  from wallets w
                  cross join lateral (select id, balance from ledger_accounts
                                      where wallet_id = w.id and kind = 'available' offset 0) a
                  cross join lateral (select balance from ledger_accounts
                                      where wallet_id = w.id and kind = 'held' offset 0) h
                  where w.user_id = caller.username) as wallets`

/**
 * Revocation, user status and wallets in one round trip for all simultaneous callers. Read on each call: a revocation needs no
 * message between instances. When the database does not answer, no call passes.
 * The arrays are in subselects, so that the planner does not see their lengths and keeps one plan for all of them.
 */
const CONNECTION_CALLERS = statement<ConnectionRow>(
  'connection_callers',
  `select wanted.index, caller.username, caller.display_name, caller.touch_due, caller.has_faults, ${WALLETS}
         from unnest((select $1::text[]), (select $2::text[])) with ordinality as wanted (id, username, index)
         cross join lateral (select u.id as username, u.display_name, u.default_currency,
                                    coalesce(c.last_used_at < now() - interval '10 seconds', true) as touch_due,
                                    coalesce(c.faults_until > now(), false) as has_faults
                             from connections c join users u on u.id = c.user_id
                             where c.id = wanted.id and c.user_id = wanted.username and c.revoked_at is null
                               and (c.expires_at is null or c.expires_at > now())
                               and u.status = 'active' offset 0) caller`,
)

/**
 * Runs at most once in ten seconds for each connection. Skips rows that another call has locked, so that two batches never wait
 * for each other. The commit waits for neither the disk nor a synchronous standby, because calls that only read wait for it.
 */
const TOUCH = statement(
  'touch_connections',
  `update connections set last_used_at = now()
         from (select set_config('synchronous_commit', 'off', true)) as unawaited
         where id in (select id from connections
                      where id = any($1::text[]) and (last_used_at is null or last_used_at < now() - interval '10 seconds')
                      for no key update skip locked)`,
)

const LOGIN_CALLER = statement<Row>(
  'login_caller',
  `with caller as (
           select u.id as username, u.display_name, u.default_currency
           from login_grants g join users u on u.id = g.user_id
           where g.id = $1 and g.user_id = $2 and g.closed_at is null and u.status = 'active'
         )
         select username, display_name, ${WALLETS} from caller`,
)

/**
 * Loads the caller behind verified claims. Undefined for a token that was revoked, has ended or was never issued here, and for an
 * account that is deleted or suspended.
 * @throws VaspError 403 RESTRICTED for an account without a wallet.
 */
export type LoadCaller = (claims: Pick<TokenClaims, 'use' | 'id' | 'userId'>) => Promise<Caller | undefined>

export function makeLoadCaller(db: Database): LoadCaller {
  const loadConnection = createBatchLoader((keys: readonly Key[]) => readConnections(db, keys))
  return async ({ use, id, userId: username }) => {
    const row: (Row & Partial<ConnectionRow>) | undefined = await (use === 'login'
      ? readLogin(db, id, username)
      : loadConnection({ id, username }))
    if (row === undefined) return undefined
    const [first, ...others] = row.wallets.flatMap(toWallet)
    if (first === undefined) throw new VaspError(403, 'RESTRICTED', 'This account has no wallet yet.')
    return {
      username: row.username,
      displayName: row.display_name,
      tokenId: id,
      hasFaults: row.has_faults === true,
      wallets: [first, ...others],
    }
  }
}

interface Row {
  readonly username: string
  readonly display_name: string
  readonly wallets: readonly WalletRow[]
}

async function readLogin(db: Database, id: string, username: string): Promise<Row | undefined> {
  return (await db.query(LOGIN_CALLER, [id, username]))[0]
}

interface Key {
  readonly id: string
  readonly username: string
}

type ConnectionRow = Row & { readonly index: bigint; readonly touch_due: boolean; readonly has_faults: boolean }

async function readConnections(db: Database, keys: readonly Key[]): Promise<(Row | undefined)[]> {
  const rows = await db.query(CONNECTION_CALLERS, [keys.map(({ id }) => id), keys.map(({ username }) => username)])
  const found: (Row | undefined)[] = keys.map(() => undefined)
  const due: string[] = []
  for (const row of rows) {
    const index = Number(row.index) - 1
    found[index] = row
    if (row.touch_due) due.push(keys[index]?.id ?? '')
  }
  if (due.length > 0) await writeIfPossible(db.query(TOUCH, [due]))
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

/** @throws VaspError 400 OTHER when the user has no wallet in the currency. */
export function walletIn({ wallets }: Pick<Caller, 'wallets'>, code: CurrencyCode): WalletAccount {
  const wallet = wallets.find((each) => each.code === code)
  if (wallet === undefined) throw badInput(`This account has no wallet in ${code}.`)
  return wallet
}
