import { randomBytes } from 'node:crypto'
import { NextResponse, type NextRequest } from 'next/server'
import { isCsrfCookie, makeCsrfCookie } from './lib/accounts/sign-in/csrf'
import { application } from './lib/backend/application'
import { cookieName, isSecure } from './lib/platform/http/cookies'
import { SHOWN_ONCE_HEADER, SHOWN_ONCE_PAGES } from './lib/web/shown-once'

/**
 * Sets headers and the sign-in form's cookie; it never decides about access. A Content-Security-Policy with a nonce for
 * each page: scripts and styles are ours, forms go to ourselves or, through `/connect`, to the gateway, and no site frames ours.
 */
export function proxy(request: NextRequest): NextResponse {
  const { settings } = application()
  const nonce = randomBytes(16).toString('base64')
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'nonce-${nonce}'${process.env.NODE_ENV === 'development' ? " 'unsafe-eval'" : ''}`,
    `style-src 'self' ${process.env.NODE_ENV === 'development' ? "'unsafe-inline'" : `'nonce-${nonce}'`}`,
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    `form-action 'self' ${settings.gatewayRootUrl.origin}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')

  const headers = new Headers(request.headers)
  headers.set('x-nonce', nonce)
  headers.set('x-path', `${request.nextUrl.pathname}${request.nextUrl.search}`)
  headers.set('content-security-policy', policy)
  const name = cookieName(settings, 'csrf')
  const known = request.cookies.get(name)?.value
  const csrf = isCsrfCookie(known, settings.nextAuthSecret) ? undefined : makeCsrfCookie(settings.nextAuthSecret)
  // The page that renders in this very request must read the new cookie too.
  if (csrf !== undefined) headers.set('cookie', withCookie(request, name, csrf))

  // A result that is shown once: the page gets it from here, because the cookie ends with this answer.
  const onceName = cookieName(settings, 'shown-once')
  const once = SHOWN_ONCE_PAGES.has(request.nextUrl.pathname) ? request.cookies.get(onceName)?.value : undefined
  headers.delete(SHOWN_ONCE_HEADER)
  if (once !== undefined) headers.set(SHOWN_ONCE_HEADER, once)

  const response = NextResponse.next({ request: { headers } })
  response.headers.set('Content-Security-Policy', policy)
  // Not `no-referrer`: browsers then send `Origin: null` with our own forms, and a null origin is refused.
  response.headers.set('Referrer-Policy', 'same-origin')
  response.headers.set('X-Content-Type-Options', 'nosniff')
  response.headers.set('X-Frame-Options', 'DENY')
  response.headers.set('Cross-Origin-Opener-Policy', 'same-origin')
  response.headers.set('Cache-Control', 'no-store')
  if (once !== undefined)
    response.cookies.set(onceName, '', {
      httpOnly: true,
      sameSite: 'strict',
      path: '/',
      maxAge: 0,
      secure: isSecure(settings),
    })
  if (csrf !== undefined) {
    response.cookies.set(name, csrf, { httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure(settings) })
  }
  return response
}

function withCookie(request: NextRequest, name: string, value: string): string {
  const others = request.cookies.getAll().filter((cookie) => cookie.name !== name)
  return [...others, { name, value }].map((cookie) => `${cookie.name}=${encodeURIComponent(cookie.value)}`).join('; ')
}

export const config = {
  // All paths except these get the headers and the cookie of pages, unknown paths too: they are answered with a page. Excepted are
  // the API, the Lightning node, documents for programs, and static files.
  matcher: [
    '/((?!(?:umanwc|sandbox-ln|uma|sandbox/users|sandbox/faults)(?:/|$)|\\.well-known/|_next/static/|api/auth/|-/(?:alive|serving|ready)$|openapi\\.json$|icon\\.svg$|(?:busy-forms|keys)\\.js$|connect$|events$).*)',
  ],
}
