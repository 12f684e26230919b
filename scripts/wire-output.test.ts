import { describe, expect, it, vi } from 'vitest'
import type { LiveEvent } from '@/lib/events/live-event'
import { MAX_REPLY, type EventsReply } from '@/lib/events/operator'
import { followEvents, jsonLineOf, lineOf, storyPrinter } from './wire-output'

const CALL: LiveEvent = {
  id: '7',
  recordedAt: '2026-11-27T10:00:00.000Z',
  kind: 'api_call',
  name: 'GET /balance',
  userId: 'alice',
  connectionId: null,
  requestId: null,
  paymentHash: null,
  status: 200,
  durationMs: 1.25,
  failedCheck: null,
  summary: '',
  injected: null,
}
const columnsOf = (event: LiveEvent): string[] => lineOf(event).split(/ {2,}/)

describe('a line', () => {
  it('has time, direction, name, status, duration, user and error code', () => {
    expect(columnsOf(CALL)).toEqual([CALL.recordedAt, 'in', 'GET /balance', '200', '1.3 ms', 'alice', '-'])
    const failed = { ...CALL, status: 404, summary: 'NOT_FOUND: no such invoice', userId: null }
    expect(columnsOf(failed).slice(3)).toEqual(['404', '1.3 ms', '-', 'NOT_FOUND', 'NOT_FOUND: no such invoice'])
  })

  it.each([
    ['uma_message', 'UMA message sent', 'out'],
    ['uma_message', 'pay request received', 'in'],
    ['lightning_message', 'payment given to the node', 'out'],
    ['payment', 'payment succeeded', '-'],
  ] as const)('of %s "%s" has the direction %s', (kind, name, direction) => {
    expect(columnsOf({ ...CALL, kind, name })[1]).toBe(direction)
  })

  it('names the failed check of an event without a status', () => {
    const sent = { ...CALL, kind: 'uma_message', status: null, durationMs: null, failedCheck: 'timeout' } as const
    expect(columnsOf(sent).slice(3, 7)).toEqual(['-', '-', 'alice', 'timeout'])
  })
})

const HOSTILE = 'a\u001B[2J\u009B1m\n2026 forged\u202Eb\u2028c\u200B'

it.each([lineOf, jsonLineOf])('no character of another party acts on the terminal or is hidden', (format) => {
  for (const field of ['summary', 'failedCheck', 'userId', 'name', 'injected'] as const)
    expect(format({ ...CALL, [field]: HOSTILE })).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
})

it('a line of JSON is the event that pages receive', () => {
  expect(JSON.parse(jsonLineOf({ ...CALL, summary: HOSTILE }))).toEqual({ ...CALL, summary: HOSTILE })
})

describe('stories', () => {
  const other = (values: Partial<LiveEvent>): LiveEvent => ({ ...CALL, status: null, durationMs: null, ...values })
  const requestId = 'paying'
  const paymentHash = 'a1'.repeat(32)
  const SENT = other({ id: '1', kind: 'uma_message', name: 'address lookup sent', requestId, durationMs: 40 })
  const HELD = other({ id: '2', kind: 'payment', name: 'payment held', summary: '500 SAT', requestId, paymentHash })
  const PAID = other({ id: '4', kind: 'payment', name: 'payment succeeded', summary: '500 SAT', paymentHash })
  const PAYS = { ...CALL, id: '5', name: 'POST /payments/lud16', durationMs: 1_200, requestId, paymentHash }

  function printerOf() {
    const lines: string[] = []
    const print = storyPrinter((line) => lines.push(line))
    const printed = (...events: LiveEvent[]): string[] => {
      print(events)
      return lines.splice(0)
    }
    return printed
  }

  it('have a line of their own, and below it their events in the order in which they began, with lanes', () => {
    const printed = printerOf()
    expect(printed(SENT, HELD, { ...CALL, id: '3' }, PAID, PAYS)).toEqual([])
    const lines = printed()
    expect(lines.map((line) => line.trim().split(/ {2,}/))).toEqual([
      columnsOf({ ...CALL, id: '3' }),
      [CALL.recordedAt, 'Paid 500 SAT', '4 events · 1.2 s'],
      ['+0 ms', 'App → VASP', 'POST /payments/lud16', '200', '1200.0 ms', 'alice', '-'],
      ['+1.2 s', 'VASP → Other VASP', 'address lookup sent', '-', '40.0 ms', 'alice', '-'],
      ['+1.2 s', 'VASP', 'payment held', '-', '-', 'alice', '-', '500 SAT'],
      ['+1.2 s', 'VASP', 'payment succeeded', '-', '-', 'alice', '-', '500 SAT'],
    ])
    expect(lines.slice(2).every((line) => line.startsWith('  '))).toBe(true)
    expect(printed()).toEqual([])
  })

  it('wait while reads bring more of them, and are printed once', () => {
    const printed = printerOf()
    const alone = { ...CALL, id: '3' }
    expect(printed(SENT, HELD, alone)).toEqual([])
    expect(printed(PAID)).toEqual([lineOf(alone)])
    expect(printed(PAYS)).toEqual([])
    expect(printed({ ...CALL, id: '6' })).toHaveLength(5)
    expect(printed()).toHaveLength(1)
    expect(printed(other({ ...PAID, id: '7' }))).toEqual([])
    expect(printed()).toEqual([lineOf({ ...PAID, id: '7' })])
  })

  it('have no character of another party that acts on the terminal or is hidden', () => {
    const printed = printerOf()
    printed({ ...SENT, name: HOSTILE, summary: HOSTILE }, { ...HELD, summary: HOSTILE })
    const lines = printed()
    expect(lines).toHaveLength(3)
    for (const line of lines) expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
  })
})

describe('following', () => {
  const batch = (from: number, count: number): EventsReply => ({
    events: Array.from({ length: count }, (_, index) => ({ ...CALL, id: String(from + index) })),
  })

  it('continues after the last event, at once behind a full reply, and through a restart of the server', async () => {
    const controller = new AbortController()
    const replies = [batch(8, MAX_REPLY), batch(8 + MAX_REPLY, 1), undefined, undefined, batch(9 + MAX_REPLY, 1)]
    const asked: (string | undefined)[] = []
    const printed: string[] = []
    const [onSilence, wait] = [vi.fn(), vi.fn(async () => undefined)]
    await followEvents(
      {
        read: async ({ user, after }) => {
          expect(user).toBe('alice')
          asked.push(after)
          const reply = replies.shift()
          if (replies.length === 0) controller.abort()
          return reply
        },
        print: (events) => printed.push(...events.map(({ id }) => id)),
        onSilence,
        wait,
        signal: controller.signal,
      },
      { user: 'alice', limit: 1 },
      batch(7, 1),
    )
    const [full, next] = [String(7 + MAX_REPLY), String(8 + MAX_REPLY)]
    expect(asked).toEqual(['7', full, next, next, next])
    expect(printed).toEqual(Array.from({ length: MAX_REPLY + 2 }, (_, index) => String(8 + index)))
    expect(onSilence).toHaveBeenCalledTimes(1)
    expect(wait).toHaveBeenCalledTimes(4)
  })

  it('starts with the first event of all when none was stored', async () => {
    const controller = new AbortController()
    const read = vi.fn(async () => {
      controller.abort()
      return batch(1, 1)
    })
    const print = vi.fn()
    const ports = { read, print, onSilence: vi.fn(), wait: async () => undefined, signal: controller.signal }
    await followEvents(ports, { limit: 5 }, { events: [] })
    expect(read).toHaveBeenCalledWith({ after: '0', limit: MAX_REPLY })
    expect(print).toHaveBeenCalledTimes(1)
    expect(print).toHaveBeenCalledWith(batch(1, 1).events)
  })
})
