import type { Pool } from 'pg'
import type { WalletBackend } from 'uma-auth-vasp'
import { transaction } from './database.ts'

/** The caller of a command. Its balance is read where it is needed, under a lock where it is spent. */
export interface User {
  readonly id: string
  readonly name: string
}

const CONNECTIONS_PER_LOGIN = 20
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/

/** Logins and connections. The package asks them on every call, so a revoked token stops working at once. */
export function createLogins(pool: Pool): Pick<WalletBackend<User, 'SAT'>, 'logins' | 'connections'> {
  /** A token may name a user that does not exist, and the column takes UUIDs only. */
  const uuid = (id: string): string | null => (UUID.test(id) ? id : null)

  return {
    logins: {
      // The primary key decides which of two simultaneous calls creates the row.
      async create({ id, userId, address, sessionId, appHost, clientId, expiresAtSeconds }) {
        const { rowCount } = await pool.query(
          `insert into logins (id, user_id, address, session_id, app_host, client_id, expires_at)
           values ($1, $2, $3, $4, $5, $6, to_timestamp($7)) on conflict (id) do nothing`,
          [id, userId, address, sessionId, appHost, clientId, expiresAtSeconds],
        )
        return rowCount === 1 ? 'created' : 'already-created'
      },
      async find({ id, userId }) {
        const { rows } = await pool.query<{ open: boolean }>(
          `select active and exists (select 1 from logins where id = $1 and user_id = users.id and not closed) as open
           from users where id = $2`,
          [id, uuid(userId)],
        )
        if (rows[0] === undefined) return 'unknown-user'
        return rows[0].open ? 'open' : 'closed'
      },
    },

    connections: {
      // The lock on the login's row decides between simultaneous exchanges, and between an exchange and a sign-out.
      create: ({ id, loginId, userId, address, permissions, expiresAtSeconds }) =>
        transaction(pool, async (db) => {
          const login = await db.query(
            `select 1 from logins join users on users.id = user_id
             where logins.id = $1 and user_id = $2 and not closed and active for update of logins`,
            [loginId, uuid(userId)],
          )
          if (login.rowCount === 0) return 'login-closed'
          const { rowCount } = await db.query(
            `insert into connections (id, login_id, user_id, address, permissions, expires_at)
             select $1, $2, $3, $4, $5, to_timestamp($6)
             where (select count(*) from connections where login_id = $2) < $7`,
            [id, loginId, userId, address, permissions, expiresAtSeconds, CONNECTIONS_PER_LOGIN],
          )
          return rowCount === 1 ? 'created' : 'login-used-up'
        }),
      // The package refuses anything but an object: `rows[0]` is undefined when there is no such row.
      async open({ use, id, userId }) {
        const [table, ended] = use === 'login' ? ['logins', 'closed'] : ['connections', 'revoked']
        const { rows } = await pool.query<User>(
          `select users.id, name from ${table} t join users on users.id = user_id
           where t.id = $1 and user_id = $2 and not ${ended} and active`,
          [id, uuid(userId)],
        )
        return rows[0]
      },
    },
  }
}
