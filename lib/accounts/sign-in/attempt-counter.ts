import { createHash, createHmac } from 'node:crypto'
import type { Settings } from '../../platform/config'
import type { Database } from '../../platform/db/database'
import { deleteInSlices, deletion, SLICE, type Deleted } from '../../platform/db/delete-in-slices'
import { prismaCall } from '../../platform/db/prisma-call'
import { statement } from '../../platform/db/statement'
import { runEvery } from '../../platform/run-every'

/** How many wrong passwords are free, and how long each later attempt has to wait. */
export interface AttemptPolicy {
  readonly freeAttempts: number
  /** The wait doubles with each further wrong password, up to `maxWaitSeconds`. */
  readonly firstWaitSeconds: number
  readonly maxWaitSeconds: number
  /** Time from the last wrong password until the count expires. Longer than `maxWaitSeconds`. */
  readonly forgottenAfterSeconds: number
}

export interface CounterPorts {
  readonly db: Database
  readonly settings: Pick<Settings, 'nextAuthSecret' | 'instance'>
}

/**
 * Counts wrong passwords for a key. The database counts, with its own clock, so that all instances share one count. Each method
 * is one statement, except `begin` for an attempt that has to wait.
 */
export interface AttemptCounter {
  /**
   * Counts an attempt as wrong before its password is checked, so that the policy also limits attempts at the same instant on several
   * instances.
   * @param wrong 0 for a password that is known to be right. The attempt waits like a wrong one, but is not counted.
   * @returns the seconds to wait, if the attempt is neither counted nor allowed; otherwise the number of the attempt.
   */
  begin(key: string, wrong?: 0 | 1): Promise<{ readonly waitSeconds: number } | { readonly number: number }>
  /** Takes back an attempt whose password did not prove wrong. */
  withdraw(key: string, number: number): Promise<void>
  /** Starts the count of the key again at zero. */
  forget(key: string): Promise<void>
  /** The seconds until the next attempt is allowed; 0 when it is allowed now. */
  waitSeconds(key: string): Promise<number>
}

const MAX_ROWS = 100_000
const DELETE_EVERY_MS = 60_000

const NEXT_NUMBER = `case when a.forgotten_at > clock_timestamp() then a.wrong + $6::int else $6::int end`
/** Of two statements for one key, the second waits for the first and sees its row. */
const BEGIN = statement<{ wrong: number }>(
  'begin_password_attempt',
  `insert into password_attempts as a (key_hash, wrong, allowed_at, forgotten_at)
   values ($1, $6::int, clock_timestamp(), clock_timestamp() + make_interval(secs => $5))
   on conflict (key_hash) do update set
     wrong = ${NEXT_NUMBER},
     allowed_at = clock_timestamp() + make_interval(secs =>
       case when $6::int = 0 or ${NEXT_NUMBER} < $2::int then 0
            else least($4::float8, $3::float8 * 2 ^ least(${NEXT_NUMBER} - $2::int, 30)) end),
     forgotten_at = case when $6::int = 0 then a.forgotten_at else clock_timestamp() + make_interval(secs => $5) end
   where a.allowed_at <= clock_timestamp()
   returning a.wrong`,
)
/** The wait ends for this key, unless another attempt has started since. */
const WITHDRAW = statement(
  'withdraw_password_attempt',
  `update password_attempts
   set wrong = wrong - 1, allowed_at = case when wrong = $2 then clock_timestamp() else allowed_at end
   where key_hash = $1 and wrong > 0`,
)
const forgetAttempts = prismaCall('forgetAttempts', ({ passwordAttempt }, keyHash: string) =>
  passwordAttempt.deleteMany({ where: { keyHash } }),
)
/** Locks the row, so that the statement waits for attempts that are being counted. */
const WAIT = statement<{ seconds: number }>(
  'password_attempt_wait',
  `select ceil(extract(epoch from allowed_at - clock_timestamp()))::int as seconds
   from password_attempts where key_hash = $1 and allowed_at > clock_timestamp() for update`,
)
const deletionOf = (chosen: string): string =>
  deletion(
    'password_attempts',
    'key_hash',
    `select key_hash from password_attempts ${chosen} limit ${SLICE} for update skip locked`,
  )
const DELETE_EXPIRED = statement<Deleted>(
  'delete_expired_password_attempts',
  deletionOf('where forgotten_at <= now() order by forgotten_at'),
)
/** A withdrawn attempt counts nothing. */
const DELETE_WITHDRAWN = statement<Deleted>(
  'delete_withdrawn_password_attempts',
  deletionOf('where wrong = 0 order by forgotten_at'),
)
const DELETE_BEYOND = statement<Deleted>(
  'delete_oldest_password_attempts',
  deletionOf('order by forgotten_at desc offset $1'),
)

/** Sign-in and the team gate count separately, even for the same key: each has its own `purpose`. */
export function makeAttemptCounter(
  { db, settings }: CounterPorts,
  purpose: 'sign-in' | 'team',
  { freeAttempts, firstWaitSeconds, maxWaitSeconds, forgottenAfterSeconds }: AttemptPolicy,
): AttemptCounter {
  const policy = [freeAttempts, firstWaitSeconds, maxWaitSeconds, forgottenAfterSeconds]
  const secret = createHash('sha256')
    .update(`password-attempts:${settings.instance}:${settings.nextAuthSecret}`)
    .digest()
  // A user may type the password into the name field, so no name is stored. Every key has the same length.
  const hashOf = (key: string): string => createHmac('sha256', secret).update(`${purpose} ${key}`).digest('base64url')

  async function waitSeconds(key: string): Promise<number> {
    const [row] = await db.query(WAIT, [hashOf(key)])
    return row?.seconds ?? 0
  }

  return {
    waitSeconds,
    async begin(key, wrong = 1) {
      const [row] = await db.query(BEGIN, [hashOf(key), ...policy, wrong])
      // At least one second, even if the wait ended between the two statements.
      return row === undefined ? { waitSeconds: Math.max(1, await waitSeconds(key)) } : { number: row.wrong }
    },
    async withdraw(key, number) {
      await db.query(WITHDRAW, [hashOf(key), number])
    },
    async forget(key) {
      await forgetAttempts(db, hashOf(key))
    },
  }
}

/**
 * Deletes rows that are expired or count no wrong password and, beyond `maxRows`, those with the oldest attempts. Safe on several
 * instances at once.
 */
export async function deleteOldAttempts(db: Database, maxRows = MAX_ROWS): Promise<void> {
  await deleteInSlices(db, DELETE_EXPIRED)
  await deleteInSlices(db, DELETE_WITHDRAWN)
  await deleteInSlices(db, DELETE_BEYOND, [maxRows])
}

/** Deletes old counts every minute while the process runs. */
export function scheduleAttemptCleanup(db: Database, onError: (error: unknown) => void): void {
  runEvery(DELETE_EVERY_MS, () => deleteOldAttempts(db), onError)
}
