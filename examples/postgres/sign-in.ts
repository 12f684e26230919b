import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { Pool } from 'pg'
import { addressOf, type UmaAuthVasp } from 'uma-auth-vasp'
import type { User } from './logins.ts'

/** A request for a page. `session` is the value of the browser's cookie, which is new for a browser without one. */
export interface PageRequest {
  readonly method: string
  readonly url: string
  readonly session: string
  readonly form: URLSearchParams
}

export const newSecret = (): string => randomBytes(32).toString('base64url')
const idOf = (session: string): string => createHash('sha256').update(session).digest('hex')

/** Replace the rest of this file with your own sign-in. It has no limit on wrong passwords. */
export function hashOf(password: string, salt = newSecret()): string {
  return `${salt}.${scryptSync(password, salt, 32).toString('base64url')}`
}

function isPassword(given: string, stored: string): boolean {
  const [expected, actual] = [stored, hashOf(given, stored.split('.')[0])].map((text) => Buffer.from(text))
  return expected !== undefined && actual !== undefined && timingSafeEqual(expected, actual)
}

export interface SignInParts {
  readonly vasp: UmaAuthVasp
  readonly pool: Pool
  readonly domain: string
  /** Sets the cookie of a new session. */
  readonly setCookie: (response: Response, session: string) => Response
}

/** The pages of the bank: the login redirect, the sign-in, and the user's connections. Undefined: there is no such page. */
export function createPages({ vasp, pool, domain, setCookie }: SignInParts) {
  async function userOf(session: string): Promise<User | undefined> {
    const { rows } = await pool.query<User>(
      `select users.id, name from sessions join users on users.id = user_id
       where sessions.id = $1 and active and expires_at > now()`,
      [idOf(session)],
    )
    return rows[0]
  }

  /** `sessionBinding` is the cookie that the browser had when it opened /connect; `sessionId` is the session that signed in. */
  const finish = (method: string, pending: string, sessionBinding: string, user: User, session = sessionBinding) =>
    vasp.login.finish({
      method,
      pending,
      sessionBinding,
      user: { id: user.id, address: addressOf(user.name, domain), currencyCode: 'SAT' },
      sessionId: idOf(session),
    })

  async function connect({ method, url, session }: PageRequest): Promise<Response> {
    const login = await vasp.login.start({ method, url }, session)
    if (login instanceof Response) return login
    const user = await userOf(session)
    if (user !== undefined && (login.asksFor ?? user.name) === user.name)
      return finish(method, login.pending, session, user)
    return signInPage(login.pending, session, user)
  }

  async function signIn({ form, session }: PageRequest): Promise<Response> {
    const [pending, password] = [form.get('pending') ?? '', form.get('password') ?? '']
    const user = await userOf(session)
    if (user !== undefined && form.get('continueAs') === user.name) return finish('POST', pending, session, user)
    const { rows } = await pool.query<User & { password_hash: string }>(
      'select id, name, password_hash from users where name = $1 and active',
      [form.get('name')],
    )
    const [found] = rows
    if (found === undefined || !isPassword(password, found.password_hash))
      return signInPage(pending, session, user, 'The name or the password is wrong.')
    // A new cookie: another person may know the one from before the sign-in.
    const renewed = newSecret()
    await endSession(session)
    await pool.query('insert into sessions (id, user_id) values ($1, $2)', [idOf(renewed), found.id])
    return setCookie(await finish('POST', pending, session, found, renewed), renewed)
  }

  /** The login tokens of this session open nothing from now on. Connections remain, until they are revoked. */
  async function endSession(session: string): Promise<void> {
    await pool.query('delete from sessions where id = $1', [idOf(session)])
    await pool.query('update logins set closed = true where session_id = $1', [idOf(session)])
  }

  async function signInPage(given: string, session: string, user?: User, error = ''): Promise<Response> {
    const login = await vasp.login.read(given, session)
    if (typeof login === 'string') return page('<p>Start again in the app.</p>', 400)
    const { pending, asksFor = '', appHost = 'an app' } = login
    const again = `<button name="continueAs" value="${user?.name}" formnovalidate>Continue as ${user?.name}</button>`
    const body = `<p>To connect ${escape(appHost)} (not verified)${asksFor && ` to ${escape(asksFor)}`}.</p>
      ${error && `<p role="alert">${error}</p>`}
      <form action="/sign-in" method="post"><input type="hidden" name="pending" value="${escape(pending)}">
      <label>Name <input name="name" value="${escape(asksFor)}" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Sign in</button>${user === undefined ? '' : again}</form>`
    return setCookie(page(body, error === '' ? 200 : 403), session)
  }

  async function account({ url, session }: PageRequest): Promise<Response> {
    const user = await userOf(session)
    if (user === undefined) return page('<p>You are signed out.</p>', 403)
    if (url === '/sign-out') await endSession(session)
    if (url === '/revoke') await pool.query('update connections set revoked = true where user_id = $1', [user.id])
    if (url !== '/account') return new Response(null, { status: 303, headers: { Location: '/account' } })
    return page(`<p>You are ${user.name}.</p>
      <form action="/revoke" method="post"><button>Revoke all connections</button></form>
      <form action="/sign-out" method="post"><button>Sign out</button></form>`)
  }

  return async (request: PageRequest): Promise<Response | undefined> => {
    const [path] = request.url.split('?', 1)
    if (path === '/connect') return connect(request)
    if (path === '/account' && request.method === 'GET') return account(request)
    if (request.method !== 'POST') return undefined
    if (path === '/sign-in') return signIn(request)
    return path === '/sign-out' || path === '/revoke' ? account(request) : undefined
  }
}

function page(body: string, status = 200): Response {
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Cache-Control': 'no-store',
    'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  }
  return new Response(`<!doctype html><html lang="en"><title>My Bank</title><h1>My Bank</h1>${body}`, {
    status,
    headers,
  })
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
