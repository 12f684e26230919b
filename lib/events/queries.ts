import type { Settings } from '../platform/config'
import type { Database } from '../platform/db/database'
import { statement } from '../platform/db/statement'
import { isLocalSandbox } from '../platform/local-sandbox'
import { INVOICE_LOOKUP } from './live-event'
import type { EventKind, EventRow, FullEvent } from './types'

/** Whose events a reader sees: the reader's own, and with `withUnowned` also events without an owner. */
export interface EventReader {
  readonly userId: string
  /**
   * Events without an owner: refused logins, bad tokens, unknown receivers. Only in a sandbox on one machine, and on the
   * sandbox desk.
   */
  readonly withUnowned: boolean
}

/** On a sandbox for one machine, a signed-in user also sees the events without an owner. */
export function eventReaderOf(settings: Pick<Settings, 'sandboxTools' | 'teamPassword'>, userId: string): EventReader {
  return { userId, withUnowned: isLocalSandbox(settings) }
}

export interface EventFilter {
  readonly kinds?: readonly EventKind[] | undefined
  readonly name?: string | undefined
  readonly connectionId?: string | undefined
  /** `failed`: as `isFailed`. `ok`: every other event. */
  readonly outcome?: 'ok' | 'failed' | undefined
  /** A payment hash or a request id: the events of this payment and of its requests, or of this request. */
  readonly story?: string | undefined
  /** Searched in name and summary, ignoring case. */
  readonly text?: string | undefined
  readonly beforeId?: bigint | undefined
  readonly afterId?: bigint | undefined
  readonly limit: number
}

/** The columns of `EventRow`. */
const COLUMNS = `id, recorded_at as "recordedAt", kind, name, user_id as "userId", connection_id as "connectionId",
                 request_id as "requestId", payment_hash as "paymentHash", status, (duration_micros / 1000.0)::float8 as "durationMs", failed_check as "failedCheck",
                 summary, injected`

/** $1: the reader's user id. $2: whether the reader also sees events without an owner. */
const VISIBLE = `(user_id = $1 or ($2 and user_id is null))`

/** `isFailed` of an event. */
const IS_FAILED = `(failed_check is not null or coalesce(status >= 400, kind = 'api_call'))`

const MAX_REQUESTS_OF_PAYMENT = 100

const newestOf = (owner: string, more = ''): string => `(
   select ${COLUMNS} from events
   where ${owner}
     and ($3::text[] is null or kind = any($3))
     and ($4::text is null or connection_id = $4)
     and ($5::boolean is null or ${IS_FAILED} = $5)
     and ($6::text is null or position(lower($6) in lower(name || ' ' || summary)) > 0)
     and ($7::bigint is null or id < $7)
     and ($8::bigint is null or id > $8)
     and ($10::text is null or name = $10) ${more}
   order by user_id, id desc limit $9)`
/** The newest of each owner come from the index in their order, so a page reads few rows. */
const LIST = statement<EventRow>(
  'list_events',
  `select * from (${newestOf('user_id between $1 and $1')} union all ${newestOf('$2 and user_id is null')}) page
   order by id desc limit $9`,
)

/** Whether `paymentOf` of an event is $11. */
const IN_PAYMENT = `(payment_hash = $11 and name <> '${INVOICE_LOOKUP}')`
/** $11: a payment hash or a request id. What a request sent before the hash was known has only the request's id. */
const IN_STORY = `and (${IN_PAYMENT} or request_id = $11 or request_id = any(array(
     select request_id from events where ${IN_PAYMENT} and ${VISIBLE} order by id desc limit ${MAX_REQUESTS_OF_PAYMENT})))`
/** Reads the events of an owner, which the retention limits: no index covers request ids. */
const LIST_STORY = statement<EventRow>(
  'list_events_of_story',
  `select * from (${newestOf('user_id between $1 and $1', IN_STORY)} union all ${newestOf('$2 and user_id is null', IN_STORY)}) page
   order by id desc limit $9`,
)

const FIND = statement<FullEvent>('find_event', `select ${COLUMNS}, detail from events where id = $3 and ${VISIBLE}`)

const BETWEEN = statement<EventRow>(
  'events_between',
  `select ${COLUMNS} from events where id between $1 and $2 order by id`,
)

/** Newest first. */
export async function listEvents(
  { db }: { readonly db: Database },
  { userId, withUnowned }: EventReader,
  filter: EventFilter,
): Promise<EventRow[]> {
  const { kinds, name, connectionId, outcome, story, text, beforeId, afterId, limit } = filter
  const params = [
    userId,
    withUnowned,
    kinds ?? null,
    connectionId ?? null,
    outcome === undefined ? null : outcome === 'failed',
    text ?? null,
    beforeId ?? null,
    afterId ?? null,
    limit,
    name ?? null,
  ]
  return story === undefined ? db.query(LIST, params) : db.query(LIST_STORY, [...params, story])
}

/** Undefined for an event that does not exist or that the reader may not see. */
export async function findEvent(
  { db }: { readonly db: Database },
  { userId, withUnowned }: EventReader,
  id: bigint,
): Promise<FullEvent | undefined> {
  return (await db.query(FIND, [userId, withUnowned, id]))[0]
}

/** No index covers request ids, which each call would pay for: the retention limits the events of one owner. */
const requestOf = (owner: string): string =>
  `(select id from events where ${owner} and request_id = $3 and kind in ('api_call', 'token_exchange') order by user_id, id desc limit 1)`
const NEWEST_OF_REQUEST = statement<{ id: bigint }>(
  'newest_event_of_request',
  `${requestOf('user_id between $1 and $1')} union all ${requestOf('$2 and user_id is null')} limit 1`,
)

/** The id of the newest call with this request id that the reader sees; undefined when there is none. */
export async function findEventOfRequest(
  { db }: { readonly db: Database },
  { userId, withUnowned }: EventReader,
  requestId: string,
): Promise<bigint | undefined> {
  return (await db.query(NEWEST_OF_REQUEST, [userId, withUnowned, requestId]))[0]?.id
}

/** Lookups of a payment are left out: an app may poll. */
const OF_PAYMENT = statement<EventRow>(
  'events_of_payment',
  `select ${COLUMNS} from events
   where payment_hash = $2 and user_id = $1 and not (kind = 'api_call' and name like 'GET %') order by id limit $3`,
)

/** What happened around one of the user's payments, oldest first: the calls that caused it, messages and changes of state. */
export async function listEventsOfPayment(
  { db }: { readonly db: Database },
  userId: string,
  paymentHash: string,
  limit: number,
): Promise<EventRow[]> {
  return db.query(OF_PAYMENT, [userId, paymentHash, limit])
}

export type CallOfConnection = Pick<
  EventRow,
  'id' | 'recordedAt' | 'kind' | 'name' | 'status' | 'failedCheck' | 'summary'
>

const CALLS_OF_CONNECTION = statement<CallOfConnection>(
  'calls_of_connection',
  `select id, recorded_at as "recordedAt", kind, name, status, failed_check as "failedCheck", summary from events where connection_id = $2 and user_id = $1 and kind = 'api_call' order by id desc limit $3`,
)

/** The newest API calls of one of the user's connections, newest first. */
export async function listCallsOfConnection(
  { db }: { readonly db: Database },
  userId: string,
  connectionId: string,
  limit: number,
): Promise<CallOfConnection[]> {
  return db.query(CALLS_OF_CONNECTION, [userId, connectionId, limit])
}

/**
 * The id of the newest event that the reader sees, or `0`. A page passes it to its stream, which starts with the next event. The order
 * by owner keeps each part on the index of owners.
 * @param user SQL of the reader's user id. @param withUnowned SQL: whether the reader also sees events without an owner.
 */
export const newestEventIdOf = (user: string, withUnowned: string): string =>
  `greatest(0, (select id from events where user_id between ${user} and ${user} order by user_id, id desc limit 1),
            (select id from events where ${withUnowned} and user_id is null order by user_id, id desc limit 1))`

/** A step of a gateway's first contact. */
export const CONTACT_STEPS = ['discovery', 'login', 'token_exchange', 'info', 'payment', 'unknown_path'] as const
export type ContactStep = (typeof CONTACT_STEPS)[number]

/** The kinds of events that record these steps. */
export const CONTACT_KINDS = [
  'discovery',
  'login',
  'token_exchange',
  'api_call',
] as const satisfies readonly EventKind[]

/** The last event of each outcome; undefined where there was none. */
export interface LastOutcomes {
  readonly success?: EventRow
  /** As `isFailed`. */
  readonly failure?: EventRow
}

/** The name of the event of a login that the doctor has tried. */
export const DOCTOR_LOGIN = 'login tried'

/** $3: the names of API calls that pay. */
const LAST_OUTCOMES = statement<EventRow & { step: string; failed: boolean }>(
  'last_outcomes_of_contact',
  `select distinct on (step, failed) step, failed, ${COLUMNS}
   from (select *, ${IS_FAILED} as failed,
                case when kind <> 'api_call' then kind when name = 'GET /info' then 'info'
                     when name = any($3::text[]) then 'payment' when name = 'unknown path' then 'unknown_path' end as step
         from events
         where ${VISIBLE} and name <> '${DOCTOR_LOGIN}'
           and kind in (${CONTACT_KINDS.map((kind) => `'${kind}'`).join(', ')})) contact
   where step is not null
   order by step, failed, id desc`,
)

/** The last success and the last failure of each step of the contact with a gateway. The doctor's logins do not count. */
export async function lastOutcomes(
  { db }: { readonly db: Database },
  { userId, withUnowned }: EventReader,
  paymentCalls: readonly string[],
): Promise<Readonly<Record<ContactStep, LastOutcomes>>> {
  const rows = await db.query(LAST_OUTCOMES, [userId, withUnowned, paymentCalls])
  const found = (step: ContactStep, failed: boolean): EventRow | undefined =>
    rows.find((row) => row.step === step && row.failed === failed)
  return Object.fromEntries(
    CONTACT_STEPS.map((step) => {
      const [success, failure] = [found(step, false), found(step, true)]
      return [step, { ...(success && { success }), ...(failure && { failure }) }]
    }),
  ) as Record<ContactStep, LastOutcomes>
}

/**
 * Another instance may store the call before this instance stores the login, so calls with somewhat lower ids count too. The id of
 * the login in the call's claims decides.
 */
const LATE_IDS = 1_000

const UNUSED_LOGIN = statement<{ id: bigint; recorded_at: Date }>(
  'unused_login',
  `with newest as (
     select id, recorded_at, detail->'facts'->>'loginId' as login_id from events
     where user_id = $1 and kind = 'login' and name = 'login token issued' order by user_id, id desc limit 1)
   select id, recorded_at from newest
   where login_id is not null and not exists (
     select from events used
     where used.user_id = $1 and used.id > newest.id - ${LATE_IDS}
       and (used.kind = 'token_exchange'
            or used.kind = 'api_call' and used.name = 'GET /info' and used.connection_id is null)
       and used.detail->'facts'->'claims'->>'id' = newest.login_id)`,
)

/** The event of the user's newest login token. */
export interface UnusedLogin {
  readonly id: bigint
  readonly issuedAt: Date
}

/** The user's newest login token, when no call has used it. A login that the doctor has tried does not count. */
export async function findUnusedLogin(db: Database, userId: string): Promise<UnusedLogin | undefined> {
  const [row] = await db.query(UNUSED_LOGIN, [userId])
  return row && { id: row.id, issuedAt: row.recorded_at }
}

const NEWEST = statement<EventRow>('newest_events', `select ${COLUMNS} from events order by id desc limit $1`)

const AFTER = statement<EventRow>('events_after', `select ${COLUMNS} from events where id > $1 order by id limit $2`)

/** The order by user keeps the statement on the index of owners, however few of the newest events are the user's. */
const OF_USER_AFTER = statement<EventRow>(
  'events_of_user_after',
  `select ${COLUMNS} from events where user_id between $1 and $1 and id > $2 order by user_id desc, id limit $3`,
)

/** For the operator: the newest events of one user, or of all and without an owner. Newest first. */
export async function listNewest(db: Database, userId: string | undefined, limit: number): Promise<EventRow[]> {
  if (userId === undefined) return db.query(NEWEST, [limit])
  return listEvents({ db }, { userId, withUnowned: false }, { limit })
}

/** For the operator: the first events after this one, oldest first. Ids are in the order of commits (`recorder.ts`). */
export async function eventsAfter(
  db: Database,
  userId: string | undefined,
  afterId: bigint,
  limit: number,
): Promise<EventRow[]> {
  return userId === undefined ? db.query(AFTER, [afterId, limit]) : db.query(OF_USER_AFTER, [userId, afterId, limit])
}

/** All users' events in this range of ids, oldest first: for the process's own feed, which filters by reader. */
export async function eventsBetween(db: Database, firstId: bigint, lastId: bigint): Promise<EventRow[]> {
  return db.query(BETWEEN, [firstId, lastId])
}

/** The calls of one kind among a reader's newest events. */
export interface CallCount {
  /** The error's code, or the name and status (`closed` without one) of a failure without a code; null for calls that succeeded. */
  readonly code: string | null
  readonly lastHour: bigint
  readonly lastDay: bigint
  readonly lastId: bigint
  readonly lastAt: Date
}

/** Maximum number of events of each owner that the counts include. */
export const MAX_COUNTED_EVENTS = 1_000

const newestCallsOf = (owner: string): string => `(
   select id, recorded_at, name, status, failed_check, summary, kind from events where ${owner}
   order by user_id, id desc limit ${MAX_COUNTED_EVENTS})`
const CODE = /^([A-Z_]{3,40}): /

/** The error code with which the summary of a failed call begins; undefined for a failure without one. */
export function codeOf(summary: string): string | undefined {
  return CODE.exec(summary)?.[1]
}

const CALL_COUNTS = statement<CallCount>(
  'count_calls_by_code',
  `select code, count(*) filter (where recorded_at > now() - interval '1 hour') as "lastHour",
          count(*) filter (where recorded_at > now() - interval '1 day') as "lastDay", max(id) as "lastId", max(recorded_at) as "lastAt"
   from (select *, case when ${IS_FAILED}
                        then coalesce(substring(summary from '${CODE.source}'), name || ' ' || coalesce(status::text, 'closed')) end as code
         from (${newestCallsOf('user_id between $1 and $1')} union all ${newestCallsOf('$2 and user_id is null')}) newest
         where name <> '${DOCTOR_LOGIN}'
           and kind in (${CONTACT_KINDS.map((kind) => `'${kind}'`).join(', ')})) calls
   group by code order by "lastId" desc`,
)

/** What gateways and apps called, by the code of the error, the latest first. The doctor's logins do not count. */
export async function countCallsByCode(
  { db }: { readonly db: Database },
  { userId, withUnowned }: EventReader,
): Promise<CallCount[]> {
  return db.query(CALL_COUNTS, [userId, withUnowned])
}
