import type { TokenClaims } from '../auth/tokens'
import type { Database, Statement } from '../db/database'
import { unauthorized } from '../errors'
import { isCurrencyCode, type CurrencyCode } from '../money/currencies'

/** For whom a request is carried out: token and account were both good when the statement ran. */
export interface Caller {
  readonly username: string
  readonly use: TokenClaims['use']
  /** The token's `jti`: the connection's id, or the login's. */
  readonly tokenId: string
  readonly scope: readonly string[]
  /** The user's wallets by preference; the first is the default currency. */
  readonly currencyCodes: readonly CurrencyCode[]
}

const WALLETS = `array(select w.currency_code from wallets w where w.user_id = caller.username order by w.position) as currency_codes`

/**
 * "Revoked?", "active?" and the user's wallets in one round trip, read anew at each request: a revocation needs no bus
 * between instances, and where the database does not answer nobody gets in. `last_used_at` is written at most once in
 * ten seconds, by the same statement.
 */
const CONNECTION_CALLER: Statement = {
  name: 'connection_caller',
  text: `with caller as (
           select u.id as username, c.id, c.last_used_at
           from connections c join users u on u.id = c.user_id
           where c.id = $1 and c.user_id = $2 and c.revoked_at is null and u.status = 'active'
         ), touched as (
           update connections set last_used_at = now()
           where id in (select id from caller where last_used_at is null or last_used_at < now() - interval '10 seconds')
         )
         select username, ${WALLETS} from caller`,
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
 * The caller behind a verified token.
 * @throws VaspError 401 for a token that was revoked or never issued here, and for an account that is gone or suspended.
 */
export async function readCaller(db: Database, claims: TokenClaims): Promise<Caller> {
  const statement = claims.use === 'connection' ? CONNECTION_CALLER : LOGIN_CALLER
  const [row] = await db.query<{ username: string; currency_codes: string[] }>(statement, [claims.id, claims.username])
  if (row === undefined) throw unauthorized()
  return {
    username: row.username,
    use: claims.use,
    tokenId: claims.id,
    scope: claims.scope,
    currencyCodes: row.currency_codes.filter(isCurrencyCode),
  }
}
