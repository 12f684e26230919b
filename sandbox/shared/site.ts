import { readFileSync } from 'node:fs'
import { serveStatic } from '@hono/node-server/serve-static'
import { Hono, type Context, type Env } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { addressAtOwnHost, isOwnForm } from './own-site'
import type { Html } from './page'

const MAX_BODY_BYTES = 64 * 1024
/** The script of the VASP's pages that shows that a form is working. */
const BUSY_FORMS = 'public/busy-forms.js'
const SCRIPT = 'text/javascript; charset=utf-8'

/** What distinguishes one app of the sandbox from another. */
export interface Site<E extends Env> {
  /** The app in a sentence: "the shop". */
  readonly what: string
  /** The address at which browsers open the app. */
  readonly origin: string
  readonly style: string
  readonly mark: string
  /** Scripts beside the one for forms, by path. */
  readonly scripts?: Readonly<Record<string, string>>
  /** Endpoints that other programs call from any origin and without cookies. Every other POST is a form of ours. */
  readonly forPrograms?: readonly string[]
  /** Other origins to which forms of this page lead: browsers apply `form-action` to redirects too. */
  readonly formTargets?: (context: Context<E>) => readonly string[]
  readonly problemPage: (context: Context<E>, title: string, text: string) => Html
  /** The answer to an error that a page explains; undefined for a fault of the app. */
  readonly explain?: (context: Context<E>, error: Error) => Response | Promise<Response> | undefined
}

/**
 * An app with its security headers, the check that forms are its own, the files of every page, and pages for problems.
 * The caller adds the routes.
 */
export function makeSite<E extends Env>(site: Site<E>): Hono<E> {
  const { what, origin, forPrograms = [], problemPage } = site
  const app = new Hono<E>()

  app.use(async (context, next) => {
    await next()
    const targets = [`'self'`, ...(site.formTargets?.(context) ?? [])].join(' ')
    context.header(
      'Content-Security-Policy',
      `default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self'; form-action ${targets}; base-uri 'none'; frame-ancestors 'none'`,
    )
    // Not `no-referrer`: browsers then send `Origin: null` with our own forms.
    context.header('Referrer-Policy', 'same-origin')
    context.header('X-Content-Type-Options', 'nosniff')
    if (!context.res.headers.has('Cache-Control')) context.header('Cache-Control', 'no-store')
  })
  app.use(
    bodyLimit({
      maxSize: MAX_BODY_BYTES,
      onError: (context) => context.text('The request body is larger than 64 kB.', 413),
    }),
  )
  app.use(async (context, next) => {
    const { method, path, raw } = context.req
    const elsewhere = addressAtOwnHost(raw, origin)
    if (elsewhere !== undefined) return context.redirect(elsewhere, 307)
    if (method !== 'POST' || forPrograms.includes(path) || isOwnForm(raw.headers, origin)) return next()
    const text = `This form was sent from another site or another address. Nothing was changed. Open ${what} at ${origin}, and use its forms there.`
    return context.html(problemPage(context, 'Refused', text), 403)
  })

  app.get('/-/alive', (context) => context.text('ok'))
  const scripts = { '/busy-forms.js': readFileSync(BUSY_FORMS, 'utf8'), ...site.scripts }
  const files = [
    ['/style.css', 'text/css; charset=utf-8', site.style],
    ['/mark.svg', 'image/svg+xml', site.mark],
    ...Object.entries(scripts).map(([path, text]) => [path, SCRIPT, text] as const),
  ] as const
  for (const [path, type, text] of files) app.get(path, (context) => context.body(text, 200, { 'Content-Type': type }))
  app.use('/fonts/*', async (context, next) => {
    await next()
    // A font changes only with a release.
    if (context.res.ok) context.header('Cache-Control', 'public, max-age=86400')
  })
  app.get('/fonts/*', serveStatic({ root: 'app' }))

  app.notFound((context) =>
    context.html(
      problemPage(context, 'Page not found', 'The address may be mistyped, or the page belongs to another browser.'),
      404,
    ),
  )
  app.onError((error, context) => {
    const explained = site.explain?.(context, error)
    if (explained !== undefined) return explained
    console.error(error)
    const text = `This was not your fault. The log of ${what} shows the cause.`
    return context.html(problemPage(context, `${what.charAt(0).toUpperCase()}${what.slice(1)} failed`, text), 500)
  })
  return app
}
