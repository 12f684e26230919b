import { expect, it, vi } from 'vitest'
import { NO_FEED } from '@/lib/events/feed'
import { loadSettings } from '@/lib/platform/config'
import { describeFailure } from '@/lib/platform/failures'
import { makeLog } from '@/lib/platform/log'
import { processSingletons } from '@/lib/platform/process-singletons'
import { GET } from './route'

const session = vi.hoisted(() => ({ current: null as null | { username: string; suspended: boolean } }))
vi.mock('@/lib/accounts/sessions/current-user', () => ({ sessionOfRequest: async () => session.current }))

const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })
const anna = { username: 'anna', suspended: false }

async function statusOf(path: string, sandboxTools = true): Promise<number> {
  processSingletons().set('application', {
    settings: { ...settings, sandboxTools },
    log: makeLog('silent', 'test'),
    describeFailure,
    eventFeed: NO_FEED,
  })
  const browser = new AbortController()
  const { status } = await GET(new Request(`http://localhost:3000${path}`, { signal: browser.signal }))
  browser.abort()
  return status
}

it('answers 404 with SANDBOX_TOOLS=off', async () => {
  session.current = anna
  expect(await statusOf('/events', false)).toBe(404)
})

it('answers 401 without an open session', async () => {
  session.current = null
  expect(await statusOf('/events')).toBe(401)
  session.current = { ...anna, suspended: true }
  expect(await statusOf('/events')).toBe(401)
})

it('answers 409 to a page of another user, and opens the stream of the signed-in user', async () => {
  session.current = anna
  expect(await statusOf('/events?user=bert')).toBe(409)
  expect(await statusOf('/events?user=anna')).toBe(200)
})
