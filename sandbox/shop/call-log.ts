import { setBounded } from '../../lib/platform/concurrency/bounded-map'
import type { Problem } from './problem'
import { redact } from './redact'

export type Channel = 'http' | 'relay' | 'browser'

/** One call of the shop, for the page. Requests and responses are stored without their secrets. */
export interface Entry {
  readonly number: number
  readonly atMs: number
  readonly words: string
  readonly channel: Channel
  /** The wallet command and the connection, for calls to a wallet. */
  readonly command: string | undefined
  readonly connectionId: string | undefined
  readonly request: string
  response: string | null
  /** The decrypted result of a wallet command that succeeded. */
  result: Record<string, unknown> | undefined
  problem: Problem | undefined
  tookMs: number | undefined
}

export interface OpenEntry {
  readonly done: (response: string, result?: Record<string, unknown>) => void
  readonly failed: (response: string | null, problem: Problem) => void
}

export type Recorder = (
  words: string,
  channel: Channel,
  request: string,
  about?: { readonly command: string; readonly connectionId: string },
) => OpenEntry

const KEPT = 30
const MAX_SESSIONS = 500

/** The last thirty calls of each browser session, newest first, in memory only. */
export class CallLog {
  private readonly entries = new Map<string, Entry[]>()
  private count = 0

  of(sessionId: string | undefined): readonly Entry[] {
    return sessionId === undefined ? [] : (this.entries.get(sessionId) ?? [])
  }

  recorder(sessionId: string): Recorder {
    return (words, channel, request, about) => {
      const entry: Entry = {
        number: ++this.count,
        atMs: Date.now(),
        words,
        channel,
        command: about?.command,
        connectionId: about?.connectionId,
        request: redact(request),
        response: null,
        result: undefined,
        problem: undefined,
        tookMs: undefined,
      }
      this.add(sessionId, entry)
      const took = (): number => Date.now() - entry.atMs
      return {
        done: (response, result) => Object.assign(entry, { response: redact(response), result, tookMs: took() }),
        failed: (response, problem) =>
          Object.assign(entry, {
            response: response === null ? null : redact(response),
            problem: { ...problem, message: redact(problem.message) },
            tookMs: took(),
          }),
      }
    }
  }

  private add(sessionId: string, entry: Entry): void {
    setBounded(this.entries, sessionId, [entry, ...this.of(sessionId)].slice(0, KEPT), MAX_SESSIONS)
  }
}
