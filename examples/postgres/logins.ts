import type { Pool } from 'pg'
import { WalletError, type WalletBackend } from 'uma-auth-vasp'
import { first, transaction, type Database } from './database.ts'

/** The caller of a command. The balance is read where it is needed, and under a lock where it is spent. */
export interface User {
  readonly id: string
  readonly name: string
}

const CONNECTIONS_PER_LOGIN = 20
const NAME = /^[a-z\d._+-]{1,63}$/

/** The active user with this name, with the hash of the password. */
export async function userNamed(db: Database, name: string): Promise<(User & { hash: string }) | undefined> {
  const select = 'select id, name, password_hash as hash from users where name = $1 and active'
  return NAME.test(name) ? first(db, select, name) : undefined
}

/** Null for an id of a token that the column cannot hold: then no row is found. */
const uuid = (id: string): string | null => (/^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/.test(id) ? id : null)

/** Logins and connections. The package asks `open` on every call, so a revoked token stops working at once. */
export function createLogins(pool: Pool): Pick<WalletBackend<User, 'SAT'>, 'logins' | 'connections'> {
  return {
    logins: {
      // The primary key decides which of two simultaneous calls creates the row. The lock on the session's row decides between a
      // sign-in request and a sign-out: no login begins after the sign-out, and the sign-out closes those from before it.
      async create({ id, userId, address, sessionId, appHost, clientId, expiresAtSeconds }) {
        const row = [id, userId, address, sessionId, appHost, clientId, expiresAtSeconds]
        const insert = `with session as
            (select id from sessions where id = $4 and user_id = $2 and expires_at > now() for share),
          login as (insert into logins (id, user_id, address, session_id, app_host, client_id, expires_at)
            select $1, $2, $3, id, $5, $6, to_timestamp($7) from session on conflict (id) do nothing returning id)
          select exists (select from login) as created from session`
        const session = await first<{ created: boolean }>(pool, insert, ...row)
        if (session === undefined) throw new WalletError('UNAUTHORIZED', 'You have signed out. Start again in the app.')
        return session.created ? 'created' : 'already-created'
      },
      async find({ id, userId }) {
        const open = 'exists (select from logins where id = $1 and user_id = users.id and not closed)'
        const select = `select active and ${open} as open from users where id = $2`
        const user = await first<{ open: boolean }>(pool, select, id, uuid(userId))
        if (user === undefined) return 'unknown-user'
        return user.open ? 'open' : 'closed'
      },
    },
    connections: {
      // The lock on the login's row decides between simultaneous exchanges, and between an exchange and a sign-out.
      create: ({ id, loginId, userId, address, permissions, expiresAtSeconds }) =>
        transaction(pool, async (db) => {
          const select = `select logins.id from logins join users on users.id = user_id
            where logins.id = $1 and user_id = $2 and not closed and active for update of logins`
          const login = await first(db, select, loginId, uuid(userId))
          if (login === undefined) return 'login-closed'
          const row = [id, loginId, userId, address, permissions, expiresAtSeconds]
          const insert = `insert into connections (id, login_id, user_id, address, permissions, expires_at)
            select $1, $2, $3, $4, $5, to_timestamp($6)
            where (select count(*) from connections where login_id = $2) < $7 returning id`
          const created = await first(db, insert, ...row, CONNECTIONS_PER_LOGIN)
          return created === undefined ? 'login-used-up' : 'created'
        }),
      // The package lets in an object only: undefined means that there is no such row.
      open({ use, id, userId }) {
        const [table, ended] = use === 'login' ? ['logins', 'closed'] : ['connections', 'revoked']
        const select = `select users.id, name from ${table} t join users on users.id = t.user_id`
        return first(pool, `${select} where t.id = $1 and user_id = $2 and not ${ended} and active`, id, uuid(userId))
      },
    },
  }
}
