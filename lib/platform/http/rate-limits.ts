import type { ServerResponse } from 'node:http'
import {
  isBusy,
  makeConcurrencyLimiter,
  runInSlot,
  type ConcurrencyLimiter,
  type ConcurrencyLimits,
} from '../concurrency/concurrency-limiter'
import { makeKeyedLimiter } from '../concurrency/keyed-limiter'
import { busy, rateLimited, VaspError } from '../errors'
import type { Log } from '../log'
import { makeRateLimiter } from '../rate-limiter'
import { makeTally } from '../tally'
import { BASE_HEADERS } from './base-headers'

/** The limits of the API by token, by user and for all users together. */
export interface RateLimits {
  /** Counts one API call of a token. @throws VaspError 429 */
  consume(tokenId: string): void
  /** Counts one login redirect for a dashboard session. @throws VaspError 429 */
  consumeLoginRedirect(sessionId: string): void
  /**
   * Runs a task of one user, across all connections of the user.
   * @throws VaspError 429 when the user's queue is full; 503 when too many tasks of all users are pending, even with rate
   * limits off.
   */
  runForUser<Result>(username: string, task: () => Promise<Result>): Promise<Result>
  /**
   * Admits an API call. Until its work starts, the call occupies one of its user's slots only: queued calls and calls still
   * uploading their body do not count against the global limit.
   * @throws VaspError as `runForUser` does, and 503 while `isFull()`.
   */
  admit(username: string): Promise<Admission>
  /** Like `runForUser`, for tasks that may wait for another VASP. Their limits are separate, so that they delay no API call. */
  runOutbound<Result>(username: string, task: () => Promise<Result>): Promise<Result>
  /**
   * Takes a slot for a file that is read while it is sent. Returns the function that frees the slot; call it once.
   * @throws VaspError 429 while the user has one; 503 while `MAX_EXPORTS` are in progress.
   */
  startExport(username: string): Promise<() => void>
  /** Whether the global limit on API calls in progress is reached. */
  isFull(): boolean
  /** Running and queued tasks of all users: API calls, and requests to other VASPs. */
  pending(): Readonly<Record<'calls' | 'outbound', number>>
}

/** An admitted API call. */
export interface Admission {
  /** Waits for a slot of the global limit, once the request has arrived. Does nothing the second time. @throws VaspError 503 */
  startWork(): Promise<void>
  /** Ends the call. Does nothing after the first time. */
  release(): void
}

interface UserLimits extends ConcurrencyLimits {
  /** Running and queued tasks of all users together. */
  readonly maxPending: number
}

const REQUESTS_PER_TOKEN = { perSecond: 50, burst: 200 }
const LOGIN_REDIRECTS_PER_SESSION = { perSecond: 1, burst: 60 }
/** Half of the database connections. The queue holds two full bursts. */
const CALLS_PER_USER: UserLimits = { maxConcurrent: 5, maxQueued: 400, maxPending: 1_000 }
/** For the page that tells users. Rate and burst are those of one token. */
export const LIMITS_OF_A_USER = { ...REQUESTS_PER_TOKEN, atOnce: CALLS_PER_USER.maxConcurrent }
/**
 * Three of the ten concurrent requests to other VASPs (lib/platform/net/guarded-fetch.ts). A request may take ten seconds, so up to three
 * users with addresses at silent servers leave a slot for other users.
 */
const OUTBOUND_PER_USER: UserLimits = { maxConcurrent: 3, maxQueued: 100, maxPending: 1_000 }
/**
 * The calls of all users that may run at once: twenty for each database connection. Two cores finish them in about half a second.
 * With a higher limit, calls would wait for a connection until they time out.
 */
const MAX_CALLS_AT_WORK = 200

/** The exports of all users that may run at once, one for each user. Each reads slices of a thousand rows until it ends. */
export const MAX_EXPORTS = 4
const EXPORT_RETRY_SECONDS = 5

/**
 * There is no limit by IP address, because all users of a gateway share its address.
 * @param onOverload called once for each task that is rejected with 503, for the metrics.
 */
export function makeRateLimits(enabled: boolean, onOverload: () => void = () => undefined): RateLimits {
  const overloaded = (): VaspError => {
    onOverload()
    return busy(1)
  }
  const requests = makeRateLimiter(REQUESTS_PER_TOKEN)
  const redirects = makeRateLimiter(LOGIN_REDIRECTS_PER_SESSION)
  const calls = makeUserLimiter(CALLS_PER_USER, enabled, overloaded)
  const outbound = makeUserLimiter(OUTBOUND_PER_USER, enabled, overloaded)
  // The bodies of many admitted calls may arrive at one moment. These calls wait for a slot.
  const atWork = makeConcurrencyLimiter({ maxConcurrent: MAX_CALLS_AT_WORK, maxQueued: CALLS_PER_USER.maxPending })
  const exports = makeConcurrencyLimiter({ maxConcurrent: MAX_EXPORTS, maxQueued: 0 })
  const exportsOfUser = makeKeyedLimiter({ maxConcurrent: 1, maxQueued: 0 })
  const isFull = (): boolean => !atWork.hasRoom()
  return {
    isFull,
    pending: () => ({ calls: calls.pending(), outbound: outbound.pending() }),
    runForUser: (username, task) => calls.run(username, task),
    runOutbound: (username, task) => outbound.run(username, task),
    async admit(username) {
      if (isFull()) throw overloaded()
      return makeAdmission(await calls.acquire(username), atWork, overloaded)
    },
    async startExport(username) {
      if (!exportsOfUser.hasRoom(username))
        throw tooManyExports(429, 'An export of yours is in progress. Cancel it, or wait until it ends, and try again.')
      if (!exports.hasRoom()) {
        onOverload()
        throw tooManyExports(503, 'Too many exports are in progress. Try again in a moment.')
      }
      const releases = await Promise.all([exportsOfUser.acquire(username), exports.acquire()])
      return () => releases.forEach((release) => release())
    },
    consume: (tokenId) => rejectUntil(enabled ? requests.consume(tokenId) : undefined),
    consumeLoginRedirect: (sessionId) => rejectUntil(enabled ? redirects.consume(sessionId) : undefined),
  }
}

/**
 * Each user has its own queue. At `maxPending`, only tasks that can start immediately are admitted. Without queues, every task
 * starts at once, up to `maxPending`.
 */
function makeUserLimiter({ maxPending, ...limits }: UserLimits, hasQueues: boolean, overloaded: () => VaspError) {
  const users = makeKeyedLimiter(limits)
  let pending = 0

  async function acquire(username: string): Promise<() => void> {
    const startsAtOnce = hasQueues && users.hasRoom(username)
    if (pending >= maxPending && !startsAtOnce) throw overloaded()
    pending += 1
    try {
      const release = hasQueues ? await users.acquire(username) : undefined
      return () => {
        pending -= 1
        release?.()
      }
    } catch (error) {
      pending -= 1
      throw isBusy(error) ? rateLimited(1) : error
    }
  }

  const run = <Result>(username: string, task: () => Promise<Result>): Promise<Result> =>
    runInSlot(acquire(username), task)

  return { acquire, run, pending: () => pending }
}

function makeAdmission(
  releaseUserSlot: () => void,
  atWork: ConcurrencyLimiter,
  overloaded: () => VaspError,
): Admission {
  let releaseSlot: (() => void) | undefined
  let released = false
  return {
    async startWork() {
      if (releaseSlot !== undefined) return
      const acquired = await atWork.acquire().catch((error: unknown) => {
        throw isBusy(error) ? overloaded() : error
      })
      if (released) acquired()
      else releaseSlot = acquired
    },
    release() {
      if (released) return
      released = true
      releaseSlot?.()
      releaseUserSlot()
    },
  }
}

function tooManyExports(status: 429 | 503, message: string): VaspError {
  return new VaspError(status, status === 429 ? 'RATE_LIMITED' : 'INTERNAL', `${message} Nothing was exported.`, {
    headers: { 'Retry-After': String(EXPORT_RETRY_SECONDS) },
  })
}

function rejectUntil(seconds: number | undefined): void {
  if (seconds !== undefined) throw rateLimited(seconds)
}

const RETRY_AFTER_SECONDS = 1
const LOG_REJECTIONS_EVERY_MS = 1_000

/**
 * Load shedding for API calls: while the global limit is reached, `shed` answers 503 and returns true. It runs before the token is
 * verified, the body is read or a log line is written, so that a rejection costs almost nothing.
 */
export function makeLoadShedding(
  limits: Pick<RateLimits, 'isFull'>,
  log: Log,
): { shed(response: ServerResponse): boolean } {
  const { status, code, message } = busy(RETRY_AFTER_SECONDS)
  const text = JSON.stringify({ code, message })
  const headers = {
    ...BASE_HEADERS,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Retry-After': String(RETRY_AFTER_SECONDS),
    'Content-Length': Buffer.byteLength(text),
  }
  const count = makeTally(LOG_REJECTIONS_EVERY_MS, (times) =>
    log.warn({ status, times }, 'API calls were rejected: the server is at its limit'),
  )

  return {
    shed(response) {
      if (!limits.isFull()) return false
      response.writeHead(status, headers)
      response.end(text)
      count()
      return true
    },
  }
}
