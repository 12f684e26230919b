import type { ServerResponse } from 'node:http'
import { busy } from '../errors'
import type { Log } from '../log'
import { BASE_HEADERS } from './base-headers'
import type { RateLimits } from './rate-limits'

const RETRY_AFTER_SECONDS = 1
const LOG_EVERY_MS = 1_000

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
  let rejected = 0

  function count(): void {
    rejected += 1
    if (rejected > 1) return
    setTimeout(() => {
      log.warn({ status, times: rejected }, 'API calls were rejected: the server is at its limit')
      rejected = 0
    }, LOG_EVERY_MS).unref()
  }

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
