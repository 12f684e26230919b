import { beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { loadSettings } from '@/lib/platform/config'
import { describeFailure } from '@/lib/platform/failures'
import { makeLog } from '@/lib/platform/log'
import { processSingletons } from '@/lib/platform/process-singletons'
import type { FormError } from '@/lib/web/form-errors'
import { userForm } from './form-handler'

let isSuspended = false
vi.mock('@/lib/accounts/sessions/current-user', () => ({
  sessionOfRequest: async () => ({ sessionId: 'session', username: 'penny', suspended: isSuspended }),
}))

const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
processSingletons().set('application', { settings, log: makeLog('silent', 'test'), describeFailure })

describe('a form of the signed-in user', () => {
  const run = vi.fn(async () => new Response('done'))
  beforeEach(() => void run.mockClear())

  async function send(body: string, origin = settings.publicOrigin): Promise<number> {
    const headers = { ...(origin !== '' && { Origin: origin }), 'Content-Type': 'application/x-www-form-urlencoded' }
    const request = new Request('http://localhost:3000/x', { method: 'POST', headers, body })
    return (await userForm(z.object({}), run)(request)).status
  }

  it('is carried out when it was shown to this user', async () => {
    expect(await send('form_user=penny&amount=1')).toBe(200)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it('is not carried out for a suspended user, who is told so', async () => {
    isSuspended = true
    const request = new Request('http://localhost:3000/x', {
      method: 'POST',
      headers: { Origin: settings.publicOrigin },
    })
    const answer = await userForm(z.object({}), run)(request)
    isSuspended = false
    expect([answer.status, answer.headers.get('location')]).toEqual([303, '/login?error=Suspended'])
    expect(run).not.toHaveBeenCalled()
  })

  it.each(['', 'null', 'http://localhost:3001', 'https://evil.example'])(
    'is refused and not carried out with the Origin %j',
    async (origin) => {
      expect(await send('form_user=penny&amount=1', origin)).toBe(403)
      expect(run).not.toHaveBeenCalled()
    },
  )

  it.each([
    ['names another user', 'form_user=alice&amount=1', 409],
    ['names another user after this one', 'form_user=penny&form_user=alice', 400],
    ['names no user', 'amount=1', 400],
    ['has an empty name', 'form_user=', 409],
    ['is empty', '', 400],
  ])('is refused and not carried out when it %s', async (_why, body, status) => {
    expect(await send(body)).toBe(status)
    expect(run).not.toHaveBeenCalled()
  })
})

describe('the fields of a form', () => {
  const Schema = z.object({
    code: z.enum(['USD', 'EUR']),
    amount: z.string().refine((text) => text !== 'x', 'invalid'),
    note: z.string().default(''),
  })
  const run = vi.fn(async (_input: { fields: z.output<typeof Schema> }): Promise<Response | FormError> => {
    return new Response('done')
  })
  beforeEach(() => void run.mockClear())

  async function send(fields: Readonly<Record<string, string>>): Promise<{ status: number; location: URL }> {
    const request = new Request('http://localhost:3000/x', {
      method: 'POST',
      headers: { Origin: settings.publicOrigin },
      body: new URLSearchParams({ form_user: 'penny', request_id: 'id', ...fields }),
    })
    const response = await userForm(Schema, run, ({ code }) => `/page/${code}`)(request)
    return {
      status: response.status,
      location: new URL(response.headers.get('location') ?? '/', settings.publicOrigin),
    }
  }

  it('reach the handler as the schema reads them', async () => {
    expect((await send({ code: 'USD', amount: '1' })).status).toBe(200)
    expect(run.mock.calls[0]?.[0].fields).toEqual({ code: 'USD', amount: '1', note: '' })
  })

  it('return to the page with the error of the field and the typed values', async () => {
    const { status, location } = await send({ code: 'EUR', amount: 'x', note: 'a&b' })
    expect([status, location.pathname, location.hash]).toEqual([303, '/page/EUR', '#amount'])
    expect(Object.fromEntries(location.searchParams)).toEqual({
      code: 'EUR',
      amount: 'x',
      note: 'a&b',
      error: 'amount.invalid',
    })
    expect(run).not.toHaveBeenCalled()
  })

  it('return to the page with the error of the handler, and with the values that the form must send again', async () => {
    run.mockResolvedValueOnce({ code: 'failed', resend: { request_id: 'id' } })
    const { location } = await send({ code: 'USD', amount: '1', error: 'forged' })
    expect([location.searchParams.get('error'), location.searchParams.get('request_id')]).toEqual(['failed', 'id'])
  })

  it('are refused with a value that the page does not send, or without one that it sends', async () => {
    expect((await send({ code: 'XXX', amount: 'x' })).status).toBe(400)
    expect((await send({ amount: '1' })).status).toBe(400)
    expect(run).not.toHaveBeenCalled()
  })

  it('stay out of an address that would be too long for the server', async () => {
    const { location } = await send({ code: 'USD', amount: 'x', note: 'y'.repeat(20_000) })
    expect([location.searchParams.get('amount'), location.searchParams.get('note')]).toEqual(['x', null])
  })
})
