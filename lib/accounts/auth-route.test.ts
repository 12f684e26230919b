import { expect, it, vi } from 'vitest'
import type { Application } from '../backend/application'
import { loadSettings } from '../platform/config'
import { answerAuth } from './auth-route'

const library = vi.hoisted(() => vi.fn(async () => new Response('done')))
vi.mock('next-auth', () => ({ default: () => library }))

const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })

async function post(action: string, origin: string): Promise<number> {
  const request = new Request(`${settings.publicOrigin}/api/auth/${action}`, {
    method: 'POST',
    headers: {
      ...(origin !== '' && { Origin: origin }),
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': '3',
    },
    body: 'a=1',
  })
  const context = { params: Promise.resolve({ nextauth: action.split('/') }) }
  return (await answerAuth({ settings } as Application, request, context)).status
}

it.each(['callback/credentials', 'signout'])('accepts a form from this server’s own pages at %s', async (action) => {
  expect(await post(action, settings.publicOrigin)).toBe(200)
})

it.each(
  ['callback/credentials', 'signout'].flatMap((action) =>
    ['', 'null', 'http://localhost:3001', 'https://evil.example'].map((origin) => [action, origin] as const),
  ),
)('rejects a form posted to %s with the Origin %j', async (action, origin) => {
  library.mockClear()
  expect(await post(action, origin)).toBe(403)
  expect(library).not.toHaveBeenCalled()
})
