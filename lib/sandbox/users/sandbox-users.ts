import { randomUUID } from 'node:crypto'
import { signOutUser } from '../../accounts/sessions/session-store'
import { secretHash } from '../../accounts/sign-in/passwords'
import type { AccountPorts } from '../../accounts/types'
import { closeUser } from '../../accounts/users'
import type { EventRecorder } from '../../events/recorder'
import type { HouseAccounts } from '../../ledger/accounts'
import { convert } from '../../money/convert'
import { rateOf, type CurrencyCode } from '../../money/currencies'
import { toLedgerUnits } from '../../money/ledger-units'
import { prismaCall } from '../../platform/db/prisma-call'
import { statement } from '../../platform/db/statement'
import { networkOf } from '../../platform/http/networks'
import { singleton } from '../../platform/process-singletons'
import { makeRateLimiter } from '../../platform/rate-limiter'
import { runEvery } from '../../platform/run-every'
import { displayNameOf, randomUsername } from './user-names'

/** The wallets of a temporary user when the request names none. */
export const DEFAULT_CURRENCIES: readonly CurrencyCode[] = ['USD', 'EUR', 'SAT']
/** The opening balance of each wallet: about 1,000 US dollars. */
const OPENING_CENTS = 100_000n
/** Short, because the program that created the user opens the sign-in link. */
export const SIGN_IN_CODE_MINUTES = 10
/** The first tries use plain names, which may be taken. Later tries add a number. */
const MAX_NAME_TRIES = 6
const PLAIN_NAME_TRIES = 2

const CREATE = statement<{ outcome: string }>(
  'create_user',
  `select create_user($1, $2, $3, $4::text[], $5::bigint[], $6::bigint[], true, $7, $8,
                      make_interval(mins => ${SIGN_IN_CODE_MINUTES}), make_interval(hours => $9), $10) as outcome`,
)

type CreatePorts = Pick<AccountPorts, 'db' | 'settings' | 'ids' | 'clock' | 'log' | 'passwords'> & {
  readonly house: HouseAccounts
}

/** A new user with its secrets, which are stored as hashes only. */
export interface SandboxUser {
  readonly username: string
  readonly password: string
  /** Authorizes requests below `/sandbox/` for this user, such as a reset. The gateway API does not accept it. */
  readonly manageToken: string
  /** Signs in once, within ten minutes. */
  readonly signInCode: string
  /** The time at which the user is closed if it stays unused. */
  readonly expiresAt: Date
}

/** Creates a user with a random name and test money. `full`: the limit of temporary users is reached. */
export async function createSandboxUser(
  ports: CreatePorts,
  currencyCodes: readonly CurrencyCode[] = DEFAULT_CURRENCIES,
): Promise<SandboxUser | 'full'> {
  const { db, settings, ids, clock, log, house, passwords } = ports
  const { unusedHours, maxLiving } = settings.sandboxUsers
  const [password, manageToken, signInCode] = [randomPassword(ids), ids.secret(), ids.secret()]
  const passwordHash = await passwords.hash(password)
  const openings = currencyCodes.map((code) => toLedgerUnits(convert(OPENING_CENTS, 'USD', code, 'down', rateOf), code))
  for (let tries = 0; tries < MAX_NAME_TRIES; tries++) {
    const username = randomUsername(tries >= PLAIN_NAME_TRIES)
    const [row] = await db.query(CREATE, [
      username,
      displayNameOf(username),
      passwordHash,
      currencyCodes,
      currencyCodes.map((code) => house('faucet', code)),
      openings,
      secretHash(manageToken),
      secretHash(signInCode),
      unusedHours,
      maxLiving,
    ])
    if (row?.outcome === 'full') return 'full'
    if (row?.outcome !== 'created') continue
    log.info({ username }, 'temporary user created')
    const expiresAt = new Date(clock.now().getTime() + unusedHours * 3_600_000)
    return { username, password, manageToken, signInCode, expiresAt }
  }
  throw new Error('no free user name was found')
}

/** Counts one user creation by a client network. Returns the seconds to wait when the network has created too many users. */
export function consumeUserCreation(
  { rateLimits, sandboxUsers: { perMinute } }: Pick<AccountPorts['settings'], 'rateLimits' | 'sandboxUsers'>,
  address: string,
  limiter = singleton('new-user-limiter', () => makeRateLimiter({ perSecond: perMinute / 60, burst: perMinute })),
): number | undefined {
  return rateLimits ? limiter.consume(networkOf(address) ?? 'unknown') : undefined
}

/** A reset refills the wallets, and each refill can be paid to another VASP, which takes a limited amount on credit from all users. */
const RESETS_PER_USER = { perSecond: 10 / 3_600, burst: 10 }

/**
 * Counts one reset by a user, in a sandbox that others share. Returns the seconds to wait when the user was reset too often.
 * A sandbox for one machine has no such limit, because its test programs may reset a user before each test.
 */
export function consumeReset(
  { rateLimits, teamPassword }: Pick<AccountPorts['settings'], 'rateLimits' | 'teamPassword'>,
  username: string,
  limiter = singleton('reset-limiter', () => makeRateLimiter(RESETS_PER_USER)),
): number | undefined {
  return rateLimits && teamPassword !== undefined ? limiter.consume(username) : undefined
}

const RESET = statement<{ outcome: string }>('reset_user', `select reset_user($1, $2) as outcome`)

/** `pending`: a payment of the user is in progress, and nothing was changed. */
export type ResetOutcome = 'reset' | 'pending' | 'unknown'

/**
 * Brings every wallet of a user back to its opening balance, revokes all connections, and expires open quotes, invoices and
 * requests, in one transaction. Users of any kind can be reset. A repeated request id posts no further entries.
 */
export async function resetUser(
  { db, events, log }: Pick<AccountPorts, 'db' | 'log'> & { readonly events: Pick<EventRecorder, 'record'> },
  username: string,
  requestId: string,
): Promise<ResetOutcome> {
  const [row] = await db.query(RESET, [username, requestId])
  const outcome = row?.outcome === 'reset' || row?.outcome === 'pending' ? row.outcome : 'unknown'
  if (outcome === 'reset') {
    log.info({ username }, 'user reset')
    events.record({ kind: 'wallet', name: 'wallets reset', userId: username })
  }
  return outcome
}

/** Resets these users one after the other, and counts the outcomes. */
export async function resetUsers(
  ports: Parameters<typeof resetUser>[0],
  usernames: readonly string[],
): Promise<Readonly<Record<ResetOutcome, number>>> {
  const counts = { reset: 0, pending: 0, unknown: 0 }
  for (const username of usernames) counts[await resetUser(ports, username, randomUUID())] += 1
  return counts
}

/**
 * Replaces the password of a temporary user with a random one, and ends the user's other sessions. Undefined for any other user: test
 * users share one password.
 */
export async function setRandomPassword(
  { db, ids, passwords, log }: Pick<AccountPorts, 'db' | 'ids' | 'passwords' | 'log'>,
  username: string,
  keptSession: string,
): Promise<string | undefined> {
  if (!(await isTemporary(db, username))) return undefined
  const password = randomPassword(ids)
  const passwordHash = await passwords.hash(password)
  if (!(await signOutUser(db, username, { passwordHash, keptSession }))) return undefined
  log.info({ username }, 'password changed')
  return password
}

function randomPassword(ids: AccountPorts['ids']): string {
  return ids.secret().slice(0, 20)
}

/** The time at which a temporary user is closed if it stays unused; null for any other user. */
export const readExpiry = prismaCall(
  'readExpiry',
  async ({ user }, username: string) =>
    (await user.findUnique({ where: { id: username }, select: { expiresAt: true } }))?.expiresAt ?? null,
)

/** Whether the user is temporary. Only such users can delete themselves: all visitors share the test users. */
export const isTemporary = prismaCall(
  'isTemporary',
  async ({ user }, username: string) => (await user.count({ where: { id: username, madeOnDemand: true } })) > 0,
)

/** API calls by apps count as use. They are recorded with the connection, not with the user, to keep a call cheap. */
const COUNT_CALLS = statement(
  'count_calls_of_unused_users',
  `update users u set expires_at = used.at + (u.expires_at - u.last_used_at), last_used_at = used.at
         from (select unused.id as user_id, c.at
               from (select id from users where made_on_demand and status <> 'closed' and expires_at <= now()) unused
               cross join lateral (
                 select max(last_used_at) as at from connections where user_id between unused.id and unused.id and last_used_at is not null
                 offset 0) c) used
         where u.id = used.user_id and u.made_on_demand and u.status <> 'closed' and used.at > u.last_used_at`,
)
const UNUSED = statement<{ id: string }>(
  'unused_users',
  `select id from users u
         where made_on_demand and status <> 'closed' and expires_at <= now()
           and not exists (select from payments p where p.user_id = u.id and p.state in ('held', 'sending'))
         order by expires_at limit 200`,
)
const REMOVE_EVERY_MS = 60_000

/** Closes the temporary users that were unused for their whole lifetime. Safe on several instances at once. */
export async function removeUnusedUsers({ db, log }: Pick<AccountPorts, 'db' | 'log'>): Promise<number> {
  await db.query(COUNT_CALLS)
  let removed = 0
  for (const { id } of await db.query(UNUSED)) {
    if (await closeUser({ db }, id, 'unused')) removed += 1
  }
  if (removed > 0) log.info({ removed }, 'unused users were closed')
  return removed
}

/** Closes unused users now, and then every minute. */
export function scheduleUserCleanup(ports: Pick<AccountPorts, 'db' | 'log'>): void {
  const onError = (error: unknown): void => ports.log.warn({ error }, 'unused users were not closed')
  runEvery(REMOVE_EVERY_MS, () => removeUnusedUsers(ports), onError)()
}
