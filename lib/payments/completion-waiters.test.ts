import { describe, expect, it } from 'vitest'
import type { Database } from '../platform/db/database'
import { makeCompletionWaiters } from './completion-waiters'

/** Waiters on a database without payments, whose `listen` fails while `down` is set. */
function makeWaiters() {
  const state = { down: false, listens: 0, queries: 0, errors: [] as unknown[] }
  const db = {
    listen: () => {
      state.listens += 1
      return state.down ? Promise.reject(new Error('the connection is lost')) : Promise.resolve()
    },
    query: () => {
      state.queries += 1
      return Promise.resolve([])
    },
  } as unknown as Database
  const waiters = makeCompletionWaiters(db, (error) => void state.errors.push(error))
  return { state, waiters }
}

const ENDED = { state: 'failed', failure: 'expired' } as const

describe('makeCompletionWaiters', () => {
  it('listens once for all waiting requests', async () => {
    const { state, waiters } = makeWaiters()
    await Promise.all([1n, 2n, 3n].map((id) => waiters.wait(id, 5, 'anywhere')))
    expect([state.listens, state.errors]).toEqual([1, []])
  })

  it('keeps waiting when listening fails, and listens again for the next request', async () => {
    const { state, waiters } = makeWaiters()
    state.down = true
    const first = waiters.wait(1n, 10_000, 'anywhere')
    await expect.poll(() => state.errors).toHaveLength(1)
    // As the poll does every second.
    waiters.notify(1n, ENDED)
    expect(await first).toEqual(ENDED)
    state.down = false
    await waiters.wait(2n, 5, 'anywhere')
    await waiters.wait(3n, 5, 'anywhere')
    expect([state.listens, state.errors.length]).toEqual([2, 1])
  })

  it('releases all requests when the process stops, and accepts none after that', async () => {
    const { state, waiters } = makeWaiters()
    const waited = waiters.wait(1n, 60_000, 'here')
    waiters.releaseAll()
    expect(await waited).toBeUndefined()
    const before = state.queries + state.listens
    for (const where of ['here', 'anywhere'] as const) expect(await waiters.wait(2n, 60_000, where)).toBeUndefined()
    expect(state.queries + state.listens).toBe(before)
  })

  it('accepts 200 requests for one payment and releases further ones at once, without affecting other payments', async () => {
    const { state, waiters } = makeWaiters()
    const first = Array.from({ length: 200 }, () => waiters.wait(1n, 60_000, 'here'))
    expect(await waiters.wait(1n, 60_000, 'anywhere')).toBeUndefined()
    expect(state.listens).toBe(0)
    const other = waiters.wait(2n, 60_000, 'here')
    waiters.notify(1n, ENDED)
    waiters.notify(2n, ENDED)
    expect(await Promise.all([...first, other])).toEqual(Array.from({ length: 201 }, () => ENDED))
  })
})
