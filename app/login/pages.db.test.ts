import { randomUUID } from 'node:crypto'
import { renderToStaticMarkup } from 'react-dom/server'
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import SignOutPage from '@/app/(dashboard)/sign-out/page'
import { POST as signOut } from '@/app/logout/route'
import { operateUsers, UsersRequest } from '@/lib/accounts/operator'
import { seedUsers } from '@/lib/accounts/seed'
import type { CurrentUser } from '@/lib/accounts/sessions/current-user'
import { openSession, userOfSession } from '@/lib/accounts/sessions/session-store'
import { processSingletons } from '@/lib/platform/process-singletons'
import { createSandboxUser } from '@/lib/sandbox/users/sandbox-users'
import { describeOnBothEngines } from '@/test/databases/databases'
import { testPasswords } from '@/test/vasp/passwords'
import { makeTestVasp, type TestVasp } from '@/test/vasp/vasp'
import SignInLinkPage from './link/page'
import LoginPage from './page'

let signedIn: CurrentUser | null = null
/** The sign-in cookie of the browser, to which a gateway's request is bound. */
const BROWSER = 'a secret of this browser'
const cookieJar = {
  get: (name: string) => (name.includes('csrf') ? { value: `${BROWSER}|hash` } : undefined),
  set: () => undefined,
}
vi.mock('next/headers', () => ({ cookies: async () => cookieJar }))
vi.mock(import('@/lib/accounts/sessions/current-user'), async (original) => ({
  ...(await original()),
  currentUser: async () => signedIn,
  sessionOfRequest: async () =>
    signedIn === null ? null : { ...signedIn, suspended: false, currencyCodes: ['USD' as const] },
}))
vi.mock(import('@/app/(dashboard)/require-user'), () => ({
  requireUser: async () => signedIn ?? Promise.reject(new Error('signed out')),
}))
// It needs a router, which only a browser has.
vi.mock('@/components/news', () => ({ News: () => null }))

/** The page in the order of its forms: the name on each button, "filled" for the main one. */
function buttonsOf(page: string): string[] {
  return [...page.matchAll(/<(?:button|a) class="button([^"]*)"[^>]*>([^<]*)</g)].map(
    ([, classes = '', name = '']) => `${name.trim()}${classes.includes('button-main') ? ', filled' : ''}`,
  )
}

describeOnBothEngines('The sign-in page', (db) => {
  let vasp: TestVasp
  const add = async (username: string): Promise<string> => {
    const request = { do: 'add', username, displayName: 'Dora', wallets: [{ code: 'USD', opening: '0' }] }
    const done = await operateUsers(
      { ...vasp.app, sandboxTools: true },
      UsersRequest.parse({ ...request, password: 'doras own password' }),
    )
    expect(done.done).toBe(true)
    return username
  }
  const userOf = (username: string, temporary = false): CurrentUser => ({
    username,
    displayName: username,
    address: `$${username}@localhost:3000`,
    sessionId: 'session',
    temporary,
  })
  const createTemporary = async () => {
    const user = await createSandboxUser(vasp.app)
    if (user === 'full') throw new Error('the sandbox is full')
    return user
  }

  beforeAll(async () => {
    await seedUsers(db(), 'sandbox', testPasswords)
    vasp = await makeTestVasp(db())
  })
  beforeEach(() => {
    processSingletons().set('application', vasp.app)
    processSingletons().set('protocol', vasp.auth)
    signedIn = null
  })

  const show = async (values: Record<string, string> = {}): Promise<string> =>
    renderToStaticMarkup(await LoginPage({ searchParams: Promise.resolve(values) }))
  /** The page of an app that asks for this user. */
  const showTo = async (name: string, values: Record<string, string> = {}): Promise<string> => {
    const redirectUri = `${vasp.app.settings.gatewayRootUrl.origin}/auth/vasp_token_callback?uma_username=${name}`
    const request = new Request(`http://localhost:3000/connect?${new URLSearchParams({ redirect_uri: redirectUri })}`)
    const login = await vasp.auth.login.start(request, BROWSER)
    if (login instanceof Response) throw new Error(await login.text())
    return show({ pending: login.pending, ...values })
  }

  it('offers the printed password only for users who have it', async () => {
    const dora = await add(`dora-${randomUUID().slice(0, 6)}`)
    const page = await show()
    expect(page).toContain('value="yuki"')
    expect(page).not.toContain(dora)
    await db().query({ name: 'test_suspend', text: `update users set status = 'suspended' where id = 'yuki'` })
    expect(await show()).not.toContain('value="yuki"')
    await db().query({ name: 'test_resume', text: `update users set status = 'active' where id = 'yuki'` })
  })

  it('calls users users', async () => {
    for (const page of [await show(), await show({ error: 'SandboxFull' }), await show({ error: 'Busy' })])
      expect(page).not.toMatch(/\bpe(?:ople|rsons?)\b/i)
  })

  it('puts a requested test user first, alone and filled, and everyone else below', async () => {
    signedIn = userOf('khalid')
    const page = await showTo('penny')
    expect(buttonsOf(page).slice(0, 2)).toEqual(['Continue as Penny, filled', 'Continue as khalid'])
    const [first = '', rest = ''] = page.split('Someone else')
    expect(first).toContain('Continue as Penny')
    expect(rest).not.toContain('Penny')
    expect(rest).toContain('Continue as Alice')
    expect(buttonsOf(rest).filter((name) => name.endsWith('filled'))).toEqual(['Sign in, filled'])
    expect(rest).toContain('<details class="mt-8"><summary')
  })

  it('puts the signed-in user first when the app asks for this user or for no one', async () => {
    signedIn = userOf('alice')
    for (const page of [await showTo('alice'), await showTo(''), await showTo('no-such-user'), await show()]) {
      const [first = '', rest = ''] = page.split('Someone else')
      expect(buttonsOf(first)).toEqual(['Continue as alice, filled'])
      expect(rest).not.toContain('Continue as Alice')
      expect(rest).toContain('Continue as Bob')
    }
  })

  it('asks first for the password of a requested user who has a password of their own', async () => {
    const dora = await add(`dora-${randomUUID().slice(0, 6)}`)
    const temporary = await createTemporary()
    signedIn = userOf('bob')
    for (const name of [dora, temporary.username]) {
      const [first = '', rest = ''] = (await showTo(name)).split('Someone else')
      expect(buttonsOf(first)).toEqual(['Sign in, filled'])
      expect(first).toContain(`value="${name}"`)
      expect(rest).not.toContain('type="password"')
      expect(buttonsOf(rest)[0]).toBe('Continue as bob')
    }
  })

  it('has no one first when no one is signed in and no one is asked for', async () => {
    const page = await show()
    expect(page).not.toContain('Someone else')
    expect(buttonsOf(page).filter((name) => name.endsWith('filled'))).toEqual(['Sign in, filled'])
  })

  it('warns a temporary user, whom another sign-in signs out', async () => {
    const WARNING = 'you need the password'
    const { signInCode } = await createTemporary()
    const showLink = async (): Promise<string> =>
      renderToStaticMarkup(await SignInLinkPage({ searchParams: Promise.resolve({ code: signInCode }) }))
    for (const [user, warns] of [
      [userOf('calm-otter', true), true],
      [userOf('bob'), false],
      [null, false],
    ] as const) {
      signedIn = user
      for (const page of [await show(), await showTo('alice'), await showLink()])
        expect(page.includes(WARNING), user?.username).toBe(warns)
    }
  })

  describe('Signing out', () => {
    const ask = async (fields: Record<string, string>): Promise<[string | null, string]> => {
      const headers = { Origin: 'http://localhost:3000', 'Content-Type': 'application/x-www-form-urlencoded' }
      const body = new URLSearchParams(fields).toString()
      const response = await signOut(new Request('http://localhost:3000/logout', { method: 'POST', headers, body }))
      return [response.headers.get('location'), response.headers.get('set-cookie') ?? '']
    }
    const open = async (user: CurrentUser): Promise<() => Promise<boolean>> => {
      const sessionId = randomUUID()
      await openSession(db(), sessionId, user.username)
      signedIn = { ...user, sessionId }
      return async () => (await userOfSession(db(), sessionId)) !== undefined
    }

    it('asks a temporary user first, because the money goes with the session', async () => {
      const { username } = await createTemporary()
      const isOpen = await open(userOf(username, true))
      for (const fields of [{}, { asked: '' }, { asked: 'another-otter' }] as Record<string, string>[]) {
        expect(await ask(fields)).toEqual(['/sign-out', ''])
        expect(await isOpen()).toBe(true)
      }
      const page = renderToStaticMarkup(await SignOutPage())
      expect(page).toContain('you lose this user and its test money')
      expect(page).toContain(`name="asked" value="${username}"`)
      expect((await ask({ asked: username }))[0]).toBe('/')
      expect(await isOpen()).toBe(false)
    })

    it('asks no other user', async () => {
      const isOpen = await open(userOf('bob'))
      const [location, cookie] = await ask({})
      expect([location, await isOpen()]).toEqual(['/', false])
      expect(cookie).toContain('Max-Age=0')
    })
  })
})
