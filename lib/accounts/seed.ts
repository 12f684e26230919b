import { readWallets, type HouseAccounts } from '../ledger/accounts'
import { postEntry } from '../ledger/entry'
import type { CurrencyCode } from '../money/currencies'
import { toLedgerUnits } from '../money/ledger-units'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { Passwords } from './sign-in/passwords'

interface SandboxUser {
  readonly username: string
  readonly displayName: string
  /** In order of preference; the first is the default. */
  readonly currencyCodes: readonly CurrencyCode[]
}

/** The users of a sandbox. User names never change: gateways identify users by them. */
export const SANDBOX_USERS: readonly SandboxUser[] = [
  { username: 'alice', displayName: 'Alice', currencyCodes: ['USD', 'EUR', 'SAT'] },
  { username: 'bob', displayName: 'Bob', currencyCodes: ['SAT'] },
  { username: 'yuki', displayName: 'Yuki', currencyCodes: ['JPY'] },
  { username: 'khalid', displayName: 'Khalid', currencyCodes: ['KWD'] },
  { username: 'penny', displayName: 'Penny', currencyCodes: ['USD'] },
]

export const SANDBOX_USERNAMES: readonly string[] = SANDBOX_USERS.map(({ username }) => username)

/**
 * Creates the missing users. A user with another password gets the given one, and the user's sessions end. A closed user stays closed. Safe
 * to repeat.
 */
export async function seedUsers(db: Database, password: string, passwords: Passwords): Promise<void> {
  const known = await db.query(SEEDED_USERS, [SANDBOX_USERNAMES])
  const hashOf = new Map(known.map(({ id, password_hash: hash }) => [id, hash]))
  const closed = new Set(known.filter(({ status }) => status === 'closed').map(({ id }) => id))
  // The password is printed, so the users may share one hash. Then it is compared once at each start.
  const matches = new Map<string, boolean>()
  let shared: string | undefined
  for (const [index, user] of SANDBOX_USERS.entries()) {
    const hash = hashOf.get(user.username)
    if (closed.has(user.username)) continue
    if (hash !== undefined && !matches.has(hash)) matches.set(hash, await passwords.matches(password, hash))
    if (hash !== undefined && matches.get(hash) === true) continue
    shared ??= await passwords.hash(password)
    await seedUser(db, user, shared, index)
  }
}

const SEEDED_USERS = statement<{ readonly id: string; readonly password_hash: string; readonly status: string }>(
  'seeded_users',
  'select id, password_hash, status from users where id = any($1::text[])',
)

/** One statement, so that two instances starting on one database seed the same rows without a clash. */
const SEED_USER = statement(
  'seed_user',
  `with created as (
           insert into users (id, display_name, password_hash, created_at) values ($1, $2, $3, $4::timestamptz)
           on conflict (id) do update set password_hash = excluded.password_hash
           returning id
         ), ended as (
           update sessions set ended_at = now() where user_id = $1 and ended_at is null
         )
         insert into wallets (user_id, currency_code, position)
         select created.id, code, place - 1 from created, unnest($5::text[]) with ordinality as listed (code, place)
         on conflict do nothing`,
)

async function seedUser(db: Database, user: SandboxUser, passwordHash: string, index: number): Promise<void> {
  // One second apart, so that lists keep the order.
  const createdAt = new Date(Date.UTC(2026, 10, 1, 0, 0, index)).toISOString()
  await db.query(SEED_USER, [user.username, user.displayName, passwordHash, createdAt, user.currencyCodes])
}

/** Opening balances of the seeded users, in smallest units (whole satoshis). */
const OPENING: readonly (readonly [string, CurrencyCode, bigint])[] = [
  ['alice', 'USD', 124_050n],
  ['alice', 'EUR', 86_000n],
  ['alice', 'SAT', 300_000n],
  ['bob', 'SAT', 250_000n],
  ['yuki', 'JPY', 15_000n],
  ['khalid', 'KWD', 75_000n],
]

/** Posts each opening balance once: its idempotency key contains the user and the currency. `at`: a time of the past, or now. */
export async function seedOpeningBalances(db: Database, house: HouseAccounts, at?: Date): Promise<void> {
  for (const [username, code, amount] of OPENING) {
    const wallet = (await readWallets(db, username)).find((each) => each.code === code)
    if (wallet === undefined) continue
    const units = toLedgerUnits(amount, code)
    await postEntry(db, {
      kind: 'opening',
      key: `opening:${username}:${code}`,
      lines: [
        { accountId: house('faucet', code), amount: -units },
        { accountId: wallet.accountId, amount: units },
      ],
      at,
    })
  }
}
