import type { Passwords } from './passwords'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import type { CurrencyCode } from '../money/currencies'

interface SeededPerson {
  readonly username: string
  readonly displayName: string
  /** By preference; the first is the default. */
  readonly currencyCodes: readonly CurrencyCode[]
}

/** The cast of the sandbox. User names never change: gateways know people by them. */
export const PEOPLE: readonly SeededPerson[] = [
  { username: 'alice', displayName: 'Alice', currencyCodes: ['USD', 'EUR', 'SAT'] },
  { username: 'bob', displayName: 'Bob', currencyCodes: ['SAT'] },
  { username: 'yuki', displayName: 'Yuki', currencyCodes: ['JPY'] },
  { username: 'khalid', displayName: 'Khalid', currencyCodes: ['KWD'] },
  { username: 'penny', displayName: 'Penny', currencyCodes: ['USD'] },
]

/** Makes the people that are missing, and brings everybody's password to the printed one. Safe to repeat. */
export async function seedPeople(db: Database, password: string, passwords: Passwords): Promise<void> {
  const known = await db.prisma.user.findMany({ where: { id: { in: PEOPLE.map((person) => person.username) } } })
  const [first] = known
  const upToDate =
    first !== undefined && known.length === PEOPLE.length && (await passwords.matches(password, first.passwordHash))
  if (upToDate) return
  for (const [index, person] of PEOPLE.entries()) await seedPerson(db, person, await passwords.hash(password), index)
}

/** One statement, so that two instances starting on one database seed the same rows without a clash. */
const SEED_PERSON = statement(
  'seed_person',
  `with person as (
           insert into users (id, display_name, password_hash, created_at) values ($1, $2, $3, $4::timestamptz)
           on conflict (id) do update set password_hash = excluded.password_hash
           returning id
         )
         insert into wallets (user_id, currency_code, position)
         select person.id, code, place - 1 from person, unnest($5::text[]) with ordinality as listed (code, place)
         on conflict do nothing`,
)

async function seedPerson(db: Database, person: SeededPerson, passwordHash: string, index: number): Promise<void> {
  // A second apart, so that the cast keeps its order in lists.
  const createdAt = new Date(Date.UTC(2026, 10, 1, 0, 0, index)).toISOString()
  await db.query(SEED_PERSON, [person.username, person.displayName, passwordHash, createdAt, person.currencyCodes])
}
