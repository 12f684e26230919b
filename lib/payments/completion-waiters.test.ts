import { describe, expect, it } from 'vitest'
import type { Database } from '../platform/db/database'
import { makeWaiting } from './completion-waiters'

/** A database that hears nothing while it is deaf, and that knows of no payment. */
function ears() {
  const state = { deaf: false, listens: 0, queries: 0, errors: [] as unknown[] }
  const db = {
    listen: () => {
      state.listens += 1
      return state.deaf ? Promise.reject(new Error('the connection is lost')) : Promise.resolve()
    },
    query: () => {
      state.queries += 1
      return Promise.resolve([])
    },
  } as unknown as Database
  const waiting = makeWaiting(db, (error) => void state.errors.push(error))
  return { state, waiting }
}

const ENDED = { state: 'failed', failure: 'expired' } as const

describe('Waiting for a payment that another process carries', () => {
  it('listens once, whoever waits', async () => {
    const { state, waiting } = ears()
    await Promise.all([1n, 2n, 3n].map((id) => waiting.until(id, 5, 'anywhere')))
    expect([state.listens, state.errors]).toEqual([1, []])
  })

  it('goes on without hearing when listening fails, and the next who comes tries to listen again', async () => {
    const { state, waiting } = ears()
    state.deaf = true
    const first = waiting.until(1n, 10_000, 'anywhere')
    await expect.poll(() => state.errors).toHaveLength(1)
    // The look of every second tells it all the same.
    waiting.tell(1n, ENDED)
    expect(await first).toEqual(ENDED)
    state.deaf = false
    await waiting.until(2n, 5, 'anywhere')
    await waiting.until(3n, 5, 'anywhere')
    expect([state.listens, state.errors.length]).toEqual([2, 1])
  })

  it('ends for everybody when the process stops, and begins for nobody after that', async () => {
    const { state, waiting } = ears()
    const waited = waiting.until(1n, 60_000, 'here')
    waiting.giveUp()
    expect(await waited).toBeUndefined()
    const before = state.queries + state.listens
    for (const where of ['here', 'anywhere'] as const) expect(await waiting.until(2n, 60_000, where)).toBeUndefined()
    expect(state.queries + state.listens).toBe(before)
  })

  it('is for two hundred requests of one payment at once; the next is let go at once, and another payment’s waits', async () => {
    const { state, waiting } = ears()
    const first = Array.from({ length: 200 }, () => waiting.until(1n, 60_000, 'here'))
    expect(await waiting.until(1n, 60_000, 'anywhere')).toBeUndefined()
    expect(state.listens).toBe(0)
    const other = waiting.until(2n, 60_000, 'here')
    waiting.tell(1n, ENDED)
    waiting.tell(2n, ENDED)
    expect(await Promise.all([...first, other])).toEqual(Array.from({ length: 201 }, () => ENDED))
  })
})
