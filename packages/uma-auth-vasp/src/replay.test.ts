import { describe, expect, it, vi } from 'vitest'
import { createTestVasp, NOW_MS, type Backend, type Options } from '../test/memory-bank'
import type { ApiRequest } from './request'
import type { TokenClaims } from './tokens'

const CLAIMS: TokenClaims = {
  use: 'connection',
  id: 'stored',
  userId: 'alice',
  scope: ['get_balance', 'pay_keysend'],
  expiresAtSeconds: NOW_MS / 1_000 + 60,
}
const BALANCE: ApiRequest = { method: 'GET', url: '/umanwc/v1/balance', headers: new Headers(), body: null }

/** A VASP with a stored connection, and a function that replays a call of it. */
function bankWith(changes: Partial<Backend> = {}, options: Partial<Options> = {}) {
  const bank = createTestVasp(changes, options)
  const unused = {
    loginId: 'login',
    address: '$alice@bank.example',
    permissions: CLAIMS.scope,
    expiresAtSeconds: CLAIMS.expiresAtSeconds,
  }
  bank.connections.set('stored', { id: 'stored', userId: 'alice', ...unused })
  const replay = (request: Partial<ApiRequest> = {}, claims: Partial<TokenClaims> = {}) =>
    bank.vasp.replay({ ...BALANCE, ...request }, { claims: { ...CLAIMS, ...claims }, of: '7' })
  return { ...bank, replay }
}

describe('a replay', () => {
  it('runs as the connection without a token, and its event refers to the original call', async () => {
    const { replay, events, trace } = bankWith()
    const { status, text } = await replay()
    expect([status, JSON.parse(text)]).toMatchObject([200, { balance: 12_345 }])
    expect(events).toMatchObject([{ replayOf: '7', claims: CLAIMS, route: 'GET /balance', failedCheck: undefined }])
    expect(trace).toEqual(['admit', 'connections.open', 'getBalance', 'release'])
  })

  it.each<[string, string, number, Partial<ApiRequest>, Partial<TokenClaims>]>([
    ['the connection has expired', 'bearer', 401, {}, { expiresAtSeconds: NOW_MS / 1_000 }],
    ['the connection was revoked', 'account', 401, {}, { id: 'revoked' }],
    ['the connection was not granted the command', 'scope', 403, {}, { scope: ['get_info'] }],
    ['it exchanges a token', 'bearer', 401, { method: 'POST', url: '/umanwc/v1/token' }, {}],
    ['its claims are those of a login', 'bearer', 401, {}, { use: 'login' }],
    ['its input is not valid', 'input', 400, { url: '/umanwc/v1/balance?currency_code=NONE' }, {}],
  ])('is refused when %s', async (_, failedCheck, status, request, claims) => {
    const { replay, events } = bankWith()
    expect(await replay(request, claims)).toMatchObject({ status })
    expect(events).toMatchObject([{ failedCheck, status, replayOf: '7', claims: { userId: 'alice' } }])
  })

  it('passes its Idempotency-Key to the backend', async () => {
    const payKeysend = vi.fn<NonNullable<Backend['payKeysend']>>(() => ({
      preimage: '00'.repeat(32),
      totalBudgetAmount: 1n,
    }))
    const { replay } = bankWith({ payKeysend })
    const body = new TextEncoder().encode(JSON.stringify({ amount: 1_000, pubkey: `02${'ab'.repeat(32)}` }))
    const request = { method: 'POST', url: '/umanwc/v1/payments/keysend', body: new Blob([body]).stream() as never }
    const headers = new Headers({ 'Idempotency-Key': 'replay-1' })
    expect(await replay({ ...request, headers })).toMatchObject({ status: 200 })
    expect(payKeysend.mock.calls[0]?.[2]).toMatchObject({ idempotencyKey: 'replay-1' })
  })

  it('skips the network restriction, because it has no client', async () => {
    const allows = vi.fn(() => false)
    const { replay } = bankWith({}, { allows })
    expect(await replay()).toMatchObject({ status: 200 })
    expect(allows).not.toHaveBeenCalled()
  })

  it('is not accepted by handle, where every call needs a token', async () => {
    const { vasp } = bankWith()
    const more: [ApiRequest] = [BALANCE, { claims: CLAIMS, of: '7' }] as never
    expect(await vasp.handle(...more)).toMatchObject({ status: 401 })
  })
})
