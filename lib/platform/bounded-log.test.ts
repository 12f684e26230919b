import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeBoundedLog } from './bounded-log'
import { makeLog } from './log'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('writes sixty lines of a flood, reports the number of the others in one line, and still writes other messages', () => {
  const lines: string[] = []
  const bounded = makeBoundedLog(makeLog('info', 'test', { write: (line) => void lines.push(line) }))
  for (let count = 0; count < 1_000; count++) bounded.info({ count }, 'login refused')
  bounded.info({}, 'sign-in failed')
  vi.advanceTimersByTime(10_000)
  const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg)
  expect(messages.filter((message) => message === 'login refused')).toHaveLength(60)
  expect(messages.slice(60)).toEqual(['sign-in failed', 'log lines were dropped: too many'])
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ lines: 940, message: 'login refused' })
  bounded.info({}, 'login refused')
  expect(lines).toHaveLength(63)
})
