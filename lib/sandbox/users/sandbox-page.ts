import { addressOf } from 'uma-auth-vasp'
import { SHOPKEEPER } from '../../../sandbox/pairing/connect-shop'
import { SANDBOX_USERNAMES } from '../../accounts/seed'
import { walletOrder } from '../../ledger/accounts'
import { isCurrencyCode, type CurrencyCode } from '../../money/currencies'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import { statement } from '../../platform/db/statement'

/** A user in the list of the sandbox desk. */
export interface DeskUser {
  readonly username: string
  readonly displayName: string
  readonly address: string
  readonly state: 'active' | 'suspended'
  /** Created for one person or one test. Closed when it stays unused until `expiresAt`. */
  readonly isTemporary: boolean
  readonly expiresAt: Date | null
  /** The time of the last sign-in or API call; for a temporary user, of any use. */
  readonly lastUsedAt: Date | null
  readonly pendingPayments: number
  /** What each wallet can spend, in ledger units, in the order of preference. */
  readonly balances: readonly { readonly code: CurrencyCode; readonly available: bigint }[]
  /** Whether the printed password signs this user in. */
  readonly isTestUser: boolean
}

interface Row {
  readonly id: string
  readonly display_name: string
  readonly status: string
  readonly made_on_demand: boolean
  readonly expires_at: Date | null
  readonly used_at: Date | null
  readonly pending: number
  readonly balances: readonly (readonly [code: string, available: string])[]
}

export const MAX_DESK_USERS = 200

/** The newest connections of a user, whose last use counts. */
const MAX_CONNECTIONS_READ = 100

/** `offset 0` makes the planner use the index for each lookup even without statistics. */
const LIST = statement<Row>(
  'list_desk_users',
  `select u.id, u.display_name, u.status, u.made_on_demand, u.expires_at,
          greatest(u.last_used_at,
                   (select created_at from sessions where user_id between u.id and u.id order by user_id, created_at desc limit 1),
                   (select max(last_used_at) from (
                      select last_used_at from connections where user_id between u.id and u.id and revoked_at is null
                      order by user_id, created_at desc, id desc limit ${MAX_CONNECTIONS_READ}) newest)) as used_at,
          (select count(*)::int from payments where user_id between u.id and u.id and state in ('held', 'sending')) as pending,
          (select coalesce(json_agg(json_build_array(w.currency_code, a.balance::text) order by ${walletOrder('u.default_currency')}), '[]')
           from wallets w
           cross join lateral (select balance from ledger_accounts where wallet_id = w.id and kind = 'available' offset 0) a
           where w.user_id between u.id and u.id) as balances
   from users u
   where u.status <> 'closed' and ($1 or u.id = any($2::text[]))
   order by u.made_on_demand, u.created_at, u.id
   limit ${MAX_DESK_USERS}`,
)

type DeskPorts = { readonly db: Database; readonly settings: Pick<Settings, 'vaspDomain' | 'teamPassword'> }

/**
 * The users that the desk lists and resets. The test users belong to everyone, so they are always listed. In a sandbox for one
 * machine, all other users are listed too. In a team's sandbox, the others belong to their creators, and are not listed.
 */
export async function listDeskUsers({ db, settings }: DeskPorts): Promise<DeskUser[]> {
  const rows = await db.query(LIST, [settings.teamPassword === undefined, SANDBOX_USERNAMES])
  return rows.map((row) => ({
    username: row.id,
    displayName: row.display_name,
    address: addressOf(row.id, settings.vaspDomain),
    state: row.status === 'active' ? 'active' : 'suspended',
    isTemporary: row.made_on_demand,
    expiresAt: row.expires_at,
    lastUsedAt: row.used_at,
    pendingPayments: row.pending,
    balances: row.balances.flatMap(([code, available]) =>
      isCurrencyCode(code) ? [{ code, available: BigInt(available) }] : [],
    ),
    isTestUser: SANDBOX_USERNAMES.includes(row.id),
  }))
}

/** The user whose wallet the shop is paired with: Bob, or while he is suspended the first active user. */
export function shopkeeperOf(users: readonly DeskUser[]): DeskUser | undefined {
  const active = users.filter(({ state }) => state === 'active')
  return active.find(({ username }) => username === SHOPKEEPER) ?? active[0]
}
