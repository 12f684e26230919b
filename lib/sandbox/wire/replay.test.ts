import { COMMANDS } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { maskDetail } from '../../events/mask'
import type { EventDetail, FullEvent } from '../../events/types'
import { canReplay, planReplay } from './replay'

interface Stored extends Partial<Omit<FullEvent, 'detail'>> {
  readonly detail?: EventDetail
}

const FACTS = { method: 'GET', path: '/umanwc/v1/balance', query: {}, isWholeAddress: true }

/** A stored call of alice, masked as the recorder masks it. */
function event({ detail = {}, ...values }: Stored = {}): FullEvent {
  return {
    id: 7n,
    recordedAt: new Date(),
    kind: 'api_call',
    name: 'GET /balance',
    userId: 'alice',
    connectionId: 'one',
    requestId: 'request',
    status: 200,
    durationMs: 1,
    failedCheck: null,
    summary: '',
    replayOf: null,
    injected: null,
    paymentHash: null,
    ...values,
    detail: maskDetail({ ...detail, facts: { ...FACTS, ...detail.facts } }),
  }
}

const plan = (values: Stored = {}, username = 'alice') => planReplay(event(values), username)
const reasonOf = (values: Stored, username?: string): string => {
  const planned = plan(values, username)
  return planned !== undefined && 'reason' in planned ? planned.reason : ''
}
const post = (request: string | undefined): Stored => ({ name: 'POST /invoice', detail: { request } })

describe('the plan of a replay', () => {
  it('has the address, the query and the body of the stored call', () => {
    expect(plan({ detail: { facts: { query: { currency_code: 'USD' } } } })).toMatchObject({
      eventId: 7n,
      connectionId: 'one',
      effect: 'reads',
      url: '/umanwc/v1/balance?currency_code=USD',
      body: undefined,
    })
    expect(plan(post('{"amount":1000}'))).toMatchObject({ effect: 'creates', body: '{"amount":1000}' })
  })

  it('needs a confirmation for each command that pays or creates something', () => {
    const asks = COMMANDS.filter(({ method, path }) => {
      const planned = plan({ name: `${method} ${path}`, detail: { request: '{}' } })
      return canReplay(planned) && planned.effect !== 'reads'
    }).map(({ name }) => name)
    expect(asks).toEqual([
      'make_invoice',
      'pay_invoice',
      'pay_keysend',
      'fetch_quote',
      'execute_quote',
      'pay_to_address',
    ])
  })

  it.each([
    ['token_exchange', 'each exchange creates a connection'],
    ['login', 'begins in the user’s browser'],
    ['uma_message', 'its nonce is accepted only once'],
    ['lightning_message', 'answers it only once'],
  ] as const)('does not exist for a %s, and the reason is given', (kind, reason) => {
    expect(reasonOf({ kind })).toContain(reason)
  })

  it.each([
    ['without a command', { name: 'unknown path' }, 'its path is not a command'],
    ['without an owner', { userId: null }, 'Only the user who made a call'],
    ['with a login token', { connectionId: null }, 'a login token'],
    ['without its body', post(undefined), 'its body is not stored'],
    ['whose body was masked', post('{"preimage":"00","amount":1}'), 'not the body that was sent'],
    ['with a token in its body', post('{"description":"eyJhbGciOi.eyJzdWIi.c2ln"}'), 'not the body that was sent'],
    ['whose body was cut', post(`{"description":"${'x'.repeat(9_000)}"}`), 'not the body that was sent'],
    ['whose body is not JSON', post('amount=1'), 'not the body that was sent'],
    ['whose body holds NUL', post(String.raw`{"description":"a\u0000b"}`), 'not the body that was sent'],
    ['whose body holds an infinite number', post('{"amount":1e400}'), 'not the body that was sent'],
    ['whose address was cut', { detail: { facts: { isWholeAddress: false } } }, 'a part of its address'],
    ['of an earlier version', { detail: { facts: { isWholeAddress: undefined } } }, 'a part of its address'],
    ['whose query was masked', { detail: { facts: { query: { token: 'abc' } } } }, 'a part of its address'],
  ] satisfies readonly [string, Stored, string][])('does not exist for a call %s', (_, values, reason) => {
    expect(reasonOf(values)).toContain(reason)
  })

  it('does not exist for another user', () => {
    expect(reasonOf({}, 'bob')).toContain('Only the user who made a call')
  })

  it('does not exist for an event that is neither a call nor a message', () => {
    expect(plan({ kind: 'wallet' })).toBeUndefined()
  })
})
