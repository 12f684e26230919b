import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { makeSignInGate } from './sign-in-gate'

const SIGN_IN = { method: 'POST', url: '/api/auth/callback/credentials' }
const response = (): ServerResponse => new EventEmitter() as unknown as ServerResponse

describe('the gate before sign-ins', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('admits thirty-two at once, and another for each that is answered', () => {
    const gate = makeSignInGate()
    const open = Array.from({ length: 32 }, response)
    for (const each of open) expect(gate.admits(SIGN_IN, each)).toBe(true)
    expect(gate.admits({ ...SIGN_IN, url: `${SIGN_IN.url}?x=1` }, response())).toBe(false)
    open[0]?.emit('close')
    open[0]?.emit('close')
    expect([gate.admits(SIGN_IN, response()), gate.admits(SIGN_IN, response())]).toEqual([true, false])
  })

  it('stands in the way of nothing else', () => {
    const gate = makeSignInGate()
    for (let count = 0; count < 40; count++) gate.admits(SIGN_IN, response())
    for (const request of [
      { method: 'GET', url: '/login' },
      { method: 'POST', url: '/umanwc/v1/token' },
      { method: 'POST', url: '/logout' },
    ])
      expect(gate.admits(request, response())).toBe(true)
  })

  it('gives up the places of senders that never finish, once each', () => {
    const gate = makeSignInGate()
    const slow = Array.from({ length: 32 }, response)
    for (const each of slow) gate.admits(SIGN_IN, each)
    vi.advanceTimersByTime(5_000)
    for (let count = 0; count < 32; count++) expect(gate.admits(SIGN_IN, response())).toBe(true)
    for (const each of slow) each.emit('close')
    expect(gate.admits(SIGN_IN, response())).toBe(false)
  })
})
