import { createHash, randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import type { Pool } from 'pg'
import { addressOf, type UmaAuthVasp } from 'uma-auth-vasp'
import { first, transaction } from './database.ts'
import { userNamed, type User } from './logins.ts'

/** A request for a page. `session` is the value of the browser's cookie, and is written back with every answer. */
export type PageRequest = Pick<Request, 'method' | 'url'> & { session: string; readonly form: URLSearchParams }

const closeLogins = (of: string): string => `update logins set closed = true where ${of} = $1`
const REVOKE_ALL = 'update connections set revoked = true where user_id = $1'

export const newSecret = (): string => randomBytes(32).toString('base64url')
const idOf = (session: string): string => createHash('sha256').update(session).digest('hex')

/** Replace passwords, sessions and pages with your own. This sign-in has no limit on wrong passwords. */
export const hashOf = (password: string, salt = newSecret()): string =>
  `${salt}.${scryptSync(password, salt, 32).toString('base64url')}`

function isPassword(given: string, stored: string): boolean {
  return timingSafeEqual(Buffer.from(stored), Buffer.from(hashOf(given, stored.split('.')[0])))
}

/** The pages of the bank: the login redirect, the sign-in, and the user's connections. */
export function createPages(vasp: UmaAuthVasp, pool: Pool, domain: string) {
  function userOf({ session }: PageRequest): Promise<User | undefined> {
    const select = 'select users.id, name from sessions join users on users.id = user_id'
    return first(pool, `${select} where sessions.id = $1 and active and expires_at > now()`, idOf(session))
  }

  async function connect(request: PageRequest): Promise<Response> {
    const login = await vasp.login.start(request, request.session)
    if (login instanceof Response) return login
    const user = await userOf(request)
    if (user === undefined || (login.asksFor ?? user.name) !== user.name)
      return signInPage(request, login.pending, user)
    return finish(request, login.pending, user)
  }

  /** @param sessionBinding the cookie with which the browser opened /connect, where a sign-in has renewed it since. */
  function finish(request: PageRequest, pending: string, user: User, sessionBinding = request.session) {
    const signedIn = { id: user.id, address: addressOf(user.name, domain), currencyCode: 'SAT' }
    const { method, session } = request
    return vasp.login.finish({ method, pending, sessionBinding, user: signedIn, sessionId: idOf(session) })
  }

  async function signIn(request: PageRequest): Promise<Response> {
    const { form, session } = request
    const { pending = '', name = '', password = '', continueAs } = Object.fromEntries(form)
    const user = await userOf(request)
    if (user !== undefined && continueAs === user.name) return finish(request, pending, user)
    const found = await userNamed(pool, name)
    if (found === undefined || !isPassword(password, found.hash))
      return signInPage(request, pending, user, '<p role="alert">The name or the password is wrong.</p>')
    await endSession(session)
    // Another person may know the cookie from before the sign-in.
    request.session = newSecret()
    await first(pool, 'insert into sessions (id, user_id) values ($1, $2)', idOf(request.session), found.id)
    return finish(request, pending, found, session)
  }

  async function signInPage(request: PageRequest, given: string, user?: User, error = ''): Promise<Response> {
    const login = await vasp.login.read(given, request.session)
    if (typeof login === 'string') return page('<p>Start again in the app.</p>', 400)
    const { pending, asksFor = '', appHost = 'an app' } = login
    const current = `<button name="continueAs" value="${user?.name}" formnovalidate>Continue as ${user?.name}</button>`
    const body = `<p>To connect ${escape(appHost)} (not verified)${asksFor && ` to ${escape(asksFor)}`}.</p>${error}
      <form action="/sign-in" method="post"><input type="hidden" name="pending" value="${escape(pending)}">
      <label>Name <input name="name" value="${escape(asksFor)}" autocomplete="username" required></label>
      <label>Password <input name="password" type="password" autocomplete="current-password" required></label>
      <button>Sign in</button>${user === undefined ? '' : current}</form>`
    return page(body, error === '' ? 200 : 403)
  }

  /** All or nothing, in this order: the second statement sees what a call has written for which the first one has waited. */
  const end = (id: string, before: string, then: string): Promise<unknown> =>
    transaction(pool, (db) => first(db, before, id).then(() => first(db, then, id)))

  /** Login tokens of this session open nothing from now on. Connections last until they are revoked. */
  async function endSession(session: string): Promise<void> {
    await end(idOf(session), 'delete from sessions where id = $1', closeLogins('session_id'))
  }

  async function account(path: string, request: PageRequest): Promise<Response> {
    const user = await userOf(request)
    if (user === undefined) return page('<p>You are signed out.</p>', 403)
    if (path === '/sign-out') await endSession(request.session)
    // A login token whose login stayed open would open connections again.
    if (path === '/revoke') await end(user.id, closeLogins('user_id'), REVOKE_ALL)
    return page(`<p>You are ${user.name}.</p>
      <form action="/revoke" method="post"><button>Revoke all connections</button></form>
      <form action="/sign-out" method="post"><button>Sign out</button></form>`)
  }

  return async (request: PageRequest): Promise<Response> => {
    const [path = ''] = request.url.split('?', 1)
    if (path === '/connect') return connect(request)
    if (path === '/account') return account(path, request)
    if (request.method !== 'POST') return page('<p>There is no such page.</p>', 404)
    return path === '/sign-in' ? signIn(request) : account(path, request)
  }
}

/** Cookies are SameSite=Lax: no other site can send these forms with them. */
export function page(body: string, status = 200, more: Readonly<Record<string, string>> = {}): Response {
  const text = `<!doctype html><html lang="en"><title>My Bank</title><h1>My Bank</h1>${body}`
  const headers = { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' }
  const policy = "default-src 'none'; frame-ancestors 'none'"
  return new Response(text, { status, headers: { ...headers, ...more, 'Content-Security-Policy': policy } })
}

const escape = (text: string): string => text.replaceAll(/[&<>"']/g, (mark) => `&#${mark.charCodeAt(0)};`)
