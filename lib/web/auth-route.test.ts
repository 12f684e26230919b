import { expect, it, vi } from 'vitest'
import { teamCookie } from '../accounts/sign-in/team-gate'
import type { Application } from '../backend/application'
import { loadSettings, type Settings } from '../platform/config'
import { answerAuth } from './auth-route'

const library = vi.hoisted(() => vi.fn(async () => new Response('done')))
let given: string | undefined
vi.mock('next/headers', () => ({
  cookies: async () => ({ get: () => (given === undefined ? undefined : { value: given }) }),
}))
vi.mock('next-auth', () => ({ default: () => library }))

const settings = loadSettings({ NEXTAUTH_SECRET: 'a secret of thirty-two characters' })

async function post(action: string, origin: string, own: Settings = settings): Promise<number> {
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
  return (await answerAuth({ settings: own } as Application, request, context)).status
}

it('accepts a form from this server’s own pages at callback/credentials', async () => {
  expect(await post('callback/credentials', settings.publicOrigin)).toBe(200)
})

it.each(['signout', 'signin/credentials', '_log', 'callback', 'signout/credentials'])(
  'has nothing at %s, where the library would act without our checks',
  async (action) => {
    library.mockClear()
    expect(await post(action, settings.publicOrigin)).toBe(404)
    expect(library).not.toHaveBeenCalled()
  },
)

it.each(
  ['callback/credentials', 'signout'].flatMap((action) =>
    ['', 'null', 'http://localhost:3001', 'https://evil.example'].map((origin) => [action, origin] as const),
  ),
)('rejects a form posted to %s with the Origin %j', async (action, origin) => {
  library.mockClear()
  expect(await post(action, origin)).toBe(403)
  expect(library).not.toHaveBeenCalled()
})

it('signs nobody in before the team password, and lets a browser that is past the gate sign in', async () => {
  const team = loadSettings({
    NEXTAUTH_SECRET: 'a secret of thirty-two characters',
    SANDBOX_TOOLS: 'private',
    SANDBOX_TEAM_PASSWORD: 'the team of this test',
  })
  for (const cookie of [
    undefined,
    '',
    'the team of this test',
    teamCookie({ ...team, teamPassword: 'the former team' }),
  ]) {
    given = cookie
    library.mockClear()
    expect(await post('callback/credentials', team.publicOrigin, team)).toBe(303)
    expect(library).not.toHaveBeenCalled()
  }
  given = teamCookie(team)
  expect(await post('callback/credentials', team.publicOrigin, team)).toBe(200)
  expect(library).toHaveBeenCalledTimes(1)
})
