import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { makeRefreshPace } from './refresh-pace'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('refreshes at most once a second while an app calls a hundred times a second', () => {
  const [pace, refresh] = [makeRefreshPace(), vi.fn()]
  for (let call = 0; call < 1_000; call += 1) {
    pace.after('api_call', refresh)
    vi.advanceTimersByTime(10)
  }
  expect(refresh).toHaveBeenCalledTimes(10)
})

it('refreshes once, soon, for the events of one action, also right after an API call', () => {
  const [pace, refresh] = [makeRefreshPace(), vi.fn()]
  pace.after('api_call', refresh)
  vi.advanceTimersByTime(50)
  expect(refresh).toHaveBeenCalledTimes(1)
  for (const kind of ['api_call', 'payment', 'wallet', 'api_call'] as const) pace.after(kind, refresh)
  vi.advanceTimersByTime(50)
  expect(refresh).toHaveBeenCalledTimes(2)
  vi.advanceTimersByTime(5_000)
  expect(refresh).toHaveBeenCalledTimes(2)
})

it('does not refresh a page that was left', () => {
  const [pace, refresh] = [makeRefreshPace(), vi.fn()]
  pace.after('payment', refresh)
  pace.stop()
  vi.advanceTimersByTime(5_000)
  expect(refresh).not.toHaveBeenCalled()
})
