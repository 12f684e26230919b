import { describe, expect, it } from 'vitest'
import { describeFailure } from './failures'

/** Errors as the database sends them. System errors have no severity. */
const fromDatabase = (code: string): Error => Object.assign(new Error('canary'), { code, severity: 'ERROR' })
const fromSystem = (code: string, message: string): Error => Object.assign(new Error(message), { code })

describe('describeFailure', () => {
  it.each([
    ['no connection', fromDatabase('08006')],
    ['too many connections', fromDatabase('53300')],
    ['a server that is shutting down', fromDatabase('57P01')],
    ['a full disk', fromDatabase('53100')],
    ['a deadlock', fromDatabase('40P01')],
    ['a serialization conflict', fromDatabase('40001')],
    ['a lock that is held', fromDatabase('55P03')],
    ['a standby', fromDatabase('25006')],
    ['a refused connection', fromSystem('ECONNREFUSED', 'connect canary')],
    ['an unknown host', fromSystem('ENOTFOUND', 'getaddrinfo canary')],
    ['a statement that took too long', fromDatabase('57014')],
    ['both loopback addresses refusing', Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' })],
    ['a name server that is busy', fromSystem('EAI_AGAIN', 'getaddrinfo EAI_AGAIN canary')],
    ['an unreachable host', fromSystem('EHOSTUNREACH', 'connect EHOSTUNREACH canary')],
    ['Prisma without a server', fromSystem('P1001', 'Invalid invocation, canary')],
    ['an exhausted pool', new Error('timeout exceeded when trying to connect')],
    ['an embedded database that was closed', new Error('PGlite is closed')],
  ])('answers 503 with Retry-After for %s', (_why, error) => {
    const failure = describeFailure(error)
    expect(failure).toMatchObject({ status: 503, code: 'INTERNAL', options: { headers: { 'Retry-After': '5' } } })
    expect(failure.message).not.toContain('canary')
  })

  it.each([
    ['a violated database constraint', fromDatabase('23514')],
    ['a mistake in SQL', fromDatabase('42601')],
    ['a mistake in code', new TypeError('canary is undefined')],
    ['a string', 'canary'],
    ['nothing', undefined],
    ['null', null],
    ['an object', { message: 'canary', code: 'ECONNREFUSED' }],
  ])('answers 500 without details for %s', (_why, error) => {
    const failure = describeFailure(error)
    expect(failure.status).toBeGreaterThanOrEqual(500)
    expect(failure.message).not.toContain('canary')
    expect(failure.cause).toBe(error)
  })
})
