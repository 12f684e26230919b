import { beforeEach, describe, expect, it, vi } from 'vitest'
import { describeFailure } from '../failures'
import { makeLog } from '../log'
import { processSingletons } from '../process-singletons'
import { loadSettings } from '../config'
import { personForm } from './page-route'

vi.mock('../../accounts/session', () => ({
  sessionOfRequest: async () => ({ sessionId: 'session', username: 'penny', suspended: false }),
}))

const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
processSingletons().set('application', { settings, log: makeLog('silent', 'test'), describeFailure })

describe('a form of the signed-in user', () => {
  const run = vi.fn(async () => new Response('done'))
  beforeEach(() => void run.mockClear())

  async function send(body: string, origin = settings.publicOrigin): Promise<number> {
    const headers = { ...(origin !== '' && { Origin: origin }), 'Content-Type': 'application/x-www-form-urlencoded' }
    const request = new Request('http://localhost:3000/x', { method: 'POST', headers, body })
    return (await personForm(run)(request)).status
  }

  it('is carried out when it was shown to this user', async () => {
    expect(await send('shown_to=penny&amount=1')).toBe(200)
    expect(run).toHaveBeenCalledTimes(1)
  })

  it.each(['', 'null', 'http://localhost:3001', 'https://evil.example'])(
    'is refused and not carried out with the Origin %j',
    async (origin) => {
      expect(await send('shown_to=penny&amount=1', origin)).toBe(403)
      expect(run).not.toHaveBeenCalled()
    },
  )

  it.each([
    ['names another user', 'shown_to=alice&amount=1', 409],
    ['names another user after this one', 'shown_to=penny&shown_to=alice', 400],
    ['names no user', 'amount=1', 400],
    ['has an empty name', 'shown_to=', 409],
    ['is empty', '', 400],
  ])('is refused and not carried out when it %s', async (_why, body, status) => {
    expect(await send(body)).toBe(status)
    expect(run).not.toHaveBeenCalled()
  })
})
