import type { ServerResponse } from 'node:http'
import { busy } from '../errors'
import type { Log } from '../log'
import { BASE_HEADERS } from './base-headers'
import type { RateLimits } from './rate-limits'

export interface OverloadGate {
  /** Answers 503 at once where more would only wait; true when it has. */
  turnsAway(response: ServerResponse): boolean
}

const RETRY_AFTER_SECONDS = 1
const LOG_EVERY_MS = 1_000

/**
 * Turns API calls away while as many are at work as this process can answer soon. Before their token is looked at, their
 * body read or a line written for each, so that saying no costs next to nothing and those at work are not kept from it.
 */
export function makeOverloadGate(limits: Pick<RateLimits, 'isFull'>, log: Log): OverloadGate {
  const { status, code, message } = busy(RETRY_AFTER_SECONDS)
  const text = JSON.stringify({ code, message })
  const headers = {
    ...BASE_HEADERS,
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'Retry-After': String(RETRY_AFTER_SECONDS),
    'Content-Length': Buffer.byteLength(text),
  }
  let turnedAway = 0

  function count(): void {
    turnedAway += 1
    if (turnedAway > 1) return
    setTimeout(() => {
      log.warn({ status, times: turnedAway }, 'calls were turned away: too many are at work')
      turnedAway = 0
    }, LOG_EVERY_MS).unref()
  }

  return {
    turnsAway(response) {
      if (!limits.isFull()) return false
      response.writeHead(status, headers)
      response.end(text)
      count()
      return true
    },
  }
}
