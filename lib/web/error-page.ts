import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { STATUS_CODES } from 'node:http'
import { join } from 'node:path'
import type { Settings } from '../platform/config'
import { BASE_HEADERS } from '../platform/http/base-headers'
import { cookieName } from '../platform/http/cookies'
import type { RejectionPage } from '../platform/http/send-rejection'

type PageSettings = Pick<Settings, 'instance' | 'publicOrigin' | 'sandboxTools' | 'vaspName' | 'vaspDomain'>

/** The parts of a request that decide how a rejection is shown. */
export interface Reader {
  readonly accept: string | undefined
  readonly cookie: string | undefined
  readonly referer: string | undefined
  /** The nonce of the content policy that `proxy.ts` sets instead of the policy here. Undefined when no proxy runs. */
  readonly nonce?: string | undefined
}

/** Whether the client asks for HTML, as browsers do. Scripts and command-line clients get the plain sentence. */
export function wantsPage({ accept = '' }: Reader): boolean {
  return /\btext\/html\b/i.test(accept)
}

function readerOf({ headers }: Pick<Request, 'headers'>): Reader {
  const value = (name: string): string | undefined => headers.get(name) ?? undefined
  return { accept: value('accept'), cookie: value('cookie'), referer: value('referer'), nonce: value('x-nonce') }
}

/**
 * Turns a plain-text rejection into a page with the same status and headers when the client asks for HTML. Returns
 * other answers unchanged.
 */
export async function toErrorPage(
  settings: PageSettings,
  request: Pick<Request, 'headers'>,
  answer: Response,
): Promise<Response> {
  const reader = readerOf(request)
  const isPlain = answer.headers.get('content-type')?.startsWith('text/plain') ?? false
  if (answer.status < 400 || !isPlain || !wantsPage(reader)) return answer
  const headers = new Headers(answer.headers)
  for (const [name, value] of Object.entries(PAGE_HEADERS)) headers.set(name, value)
  const text = await answer.text()
  const retryAfter = answer.headers.get('retry-after') ?? undefined
  return new Response(errorPage(settings, reader, { status: answer.status, text, retryAfter }), {
    status: answer.status,
    headers,
  })
}

/** The error page for requests that the HTTP server rejects itself. */
export function makeRejectionPage(settings: PageSettings): RejectionPage {
  return (reader, rejection) =>
    wantsPage(reader) ? { body: errorPage(settings, reader, rejection), headers: PAGE_HEADERS } : undefined
}

/**
 * A rejection as a complete document. Next renders no page from a route handler, and the page must not depend on the
 * database, which may be down. So the document has its own style and needs neither script nor session.
 */
export function errorPage(
  settings: PageSettings,
  reader: Reader,
  refusal: { readonly status: number; readonly text: string; readonly retryAfter?: string | undefined },
): string {
  const { status, text, retryAfter } = refusal
  const title = TITLES.get(status) ?? STATUS_CODES[status] ?? 'Request failed'
  const back = backPath(settings, reader)
  const theme = themeOf(settings, reader.cookie)
  const { vaspName, vaspDomain, sandboxTools } = settings
  const nonce = reader.nonce === undefined ? '' : ` nonce="${escape(reader.nonce)}"`
  const strip = `<header class="strip"><p class="page"><span><strong>SANDBOX</strong>, no real money</span><span>${escape(vaspDomain)}</span></p></header>`
  const wait = /^\d{1,6}$/.test(retryAfter ?? '') ? `<p>Try again in ${Number(retryAfter)} s.</p>` : ''
  return `<!doctype html>
<html lang="en"${theme === undefined ? '' : ` data-theme="${theme}"`}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escape(title)} · ${escape(vaspName)}${sandboxTools ? ' Sandbox' : ''}</title>
<link rel="icon" href="/icon.svg">
<style${nonce}>${STYLE}</style>
</head>
<body>
${sandboxTools ? strip : ''}
<main class="page">
<h1>${escape(title)}</h1>
<p role="alert">${escape(text)}</p>
${wait}
<p class="ways">${back === undefined ? '' : `<a class="main" href="${escape(back)}">Back to the page</a>`}<a href="/">Home</a></p>
</main>
<footer class="page"><p><a href="/">${escape(vaspName)}</a>, a VASP for UMA Auth. ${status}</p></footer>
</body>
</html>
`
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [400, 'Invalid request'],
  [401, 'You are signed out'],
  [403, 'Not allowed'],
  [404, 'Page not found'],
  [409, 'Another user is signed in'],
  [413, 'Request too large'],
  [429, 'Too many requests'],
  [500, 'Something went wrong on our side'],
  [503, 'Not available right now'],
])

/** The path of the page that linked here; undefined when that page is not on this site. */
function backPath({ publicOrigin }: PageSettings, { referer }: Reader): string | undefined {
  if (referer === undefined || !referer.startsWith(`${publicOrigin}/`) || !URL.canParse(referer)) return undefined
  const { pathname, search } = new URL(referer)
  return pathname.startsWith('//') ? undefined : `${pathname}${search}`
}

function themeOf(settings: PageSettings, cookie: string | undefined): 'light' | 'dark' | undefined {
  const name = `${cookieName(settings, 'theme')}=`
  const value = cookie
    ?.split(/; */)
    .find((each) => each.startsWith(name))
    ?.slice(name.length)
  return value === 'light' || value === 'dark' ? value : undefined
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

/** The fonts of the other pages, from the build, so that a browser has them already: name, start of the file's name, weights. */
const FONTS = [
  ['Page Sans', 'public_sans_latin', '100 900'],
  ['Page Serif', 'source_serif_4_latin', '200 900'],
] as const

/** Rules for the fonts among these files. A page without them has the fonts of the system. */
export function fontFaces(files: readonly string[]): string {
  return FONTS.flatMap(([family, start, weights]) => {
    const file = files.find((name) => name.startsWith(start) && /^[\w.~-]+\.woff2$/.test(name))
    return file === undefined
      ? []
      : `@font-face { font-family: '${family}'; src: url(/_next/static/media/${file}) format('woff2'); font-weight: ${weights}; font-display: swap; }`
  }).join('\n')
}

function builtFonts(): string[] {
  try {
    return readdirSync(join(process.cwd(), '.next', 'static', 'media'))
  } catch {
    // There is no build: `next dev`, or a test.
    return []
  }
}

/** The colours are those of `app/globals.css`; a test compares them. */
const STYLE = `
${fontFaces(builtFonts())}
:root { color-scheme: light dark; --paper: light-dark(#fbfaf6, #0e1513); --ink: light-dark(#15201c, #e8ece7); --muted: light-dark(#5d6b65, #9aa8a1); --rule: light-dark(#dad9d1, #26312d); --accent: light-dark(#0f5b4c, #6fc3ae); --on-accent: light-dark(#fbfaf6, #0e1513); --ochre: light-dark(#8a5a00, #e0b25c); }
:root[data-theme='light'] { color-scheme: light; }
:root[data-theme='dark'] { color-scheme: dark; }
html { background: var(--paper); color: var(--ink); font-family: 'Page Sans', system-ui, sans-serif; }
body { margin: 0; min-height: 100dvh; display: flex; flex-direction: column; font-size: 15px; line-height: 1.55; }
p { margin: 16px 0 0; max-width: 42rem; overflow-wrap: anywhere; }
h1 { margin: 0; font: 400 40px/1.15 'Page Serif', Georgia, serif; letter-spacing: -0.015em; text-wrap: balance; }
a { color: var(--accent); text-underline-offset: 3px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; }
.page { box-sizing: border-box; width: min(100% - 40px, 1040px); margin-inline: auto; }
.strip { border-bottom: 1px solid var(--ochre); padding: 6px 0; color: var(--ochre); font-size: 13px; background-image: repeating-linear-gradient(135deg, color-mix(in srgb, var(--ochre) 26%, transparent) 0 1px, transparent 1px 6px); }
.strip p { margin-block: 0; max-width: none; display: flex; flex-wrap: wrap; justify-content: space-between; gap: 0 24px; }
main { flex: 1; padding: 64px 0; }
.ways { display: flex; flex-wrap: wrap; gap: 12px; margin-top: 24px; }
.ways a { display: inline-flex; align-items: center; min-height: 36px; padding: 0 16px; border: 1px solid var(--accent); font-weight: 500; text-decoration: none; }
.ways .main { background: var(--accent); color: var(--on-accent); }
footer { border-top: 1px solid var(--rule); margin: 64px 0 24px; color: var(--muted); font-size: 13px; }
footer a { color: inherit; display: inline-block; padding: 8px 0; }
@media (max-width: 719px) { h1 { font-size: 32px; } .ways a { min-height: 48px; } footer a { padding: 14px 0; } }
`

/** The policy allows only the page's own style, and the icon and fonts of this origin. */
export const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': `${BASE_HEADERS['Content-Security-Policy']}; img-src 'self'; font-src 'self'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
} as const
