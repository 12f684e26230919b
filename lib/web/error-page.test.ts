import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { plainText } from '../platform/http/responses'
import { errorPage, fontFaces, PAGE_HEADERS, toErrorPage } from './error-page'

const SETTINGS = {
  instance: 'northbank',
  publicOrigin: 'http://localhost:3000',
  sandboxTools: true,
  vaspName: 'North & Bank',
  vaspDomain: 'localhost:3000',
}
const asked = (headers: Record<string, string>) => new Request('http://localhost:3000/x', { headers })
const BROWSER = { accept: 'text/html,application/xhtml+xml' }

describe('a rejection', () => {
  it('is shown to a browser as a page with status, headers, title, language and a link back to the previous page of this site', async () => {
    const answer = await toErrorPage(
      SETTINGS,
      asked({ ...BROWSER, referer: 'http://localhost:3000/wallets/send?invoice=a&b="' }),
      plainText(409, 'You are <someone> else.', { 'Retry-After': '5' }),
    )
    const html = await answer.text()
    expect(answer.status).toBe(409)
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(answer.headers.get('retry-after')).toBe('5')
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(html).toContain('<html lang="en">')
    expect(html).toContain('<title>Another user is signed in · North &amp; Bank Sandbox</title>')
    expect(html).toContain('You are &lt;someone&gt; else.')
    expect(html).toContain('href="/wallets/send?invoice=a&amp;b=%22"')
    expect(html).toContain('Try again in 5 s.')
    expect(html).not.toContain('<script')
  })

  it.each(['http://evil.example/wallets', 'http://localhost:30000/', 'http://localhost:3000//evil.example/', 'x'])(
    'offers no way back to %s, only home',
    async (referer) => {
      const html = await (await toErrorPage(SETTINGS, asked({ ...BROWSER, referer }), plainText(403, 'No.'))).text()
      expect(html).not.toContain('Back to the page')
      expect(html).toContain('<a href="/">Home</a>')
    },
  )

  it('uses the theme from the cookie', () => {
    const html = (cookie?: string) =>
      errorPage(SETTINGS, { accept: undefined, cookie, referer: undefined }, { status: 503, text: 'x' })
    expect(html('a=b; northbank.theme=dark')).toContain('data-theme="dark"')
    expect(html('northbank.theme="><script>')).not.toMatch(/data-theme="|<script/)
  })

  it('uses the nonce of the policy that is sent with the answer', async () => {
    const html = await (
      await toErrorPage(SETTINGS, asked({ ...BROWSER, 'x-nonce': 'a"b' }), plainText(403, 'No.'))
    ).text()
    expect(html).toContain('<style nonce="a&quot;b">')
  })

  it('stays a plain sentence for clients other than browsers; an answer that is not a rejection stays unchanged', async () => {
    const text = plainText(413, 'Too large.')
    expect(await toErrorPage(SETTINGS, asked({ accept: '*/*' }), text)).toBe(text)
    const page = plainText(200, 'Fine.')
    expect(await toErrorPage(SETTINGS, asked(BROWSER), page)).toBe(page)
  })

  it('has the fonts of the other pages, which the policy allows', () => {
    const layout = readFileSync('app/layout.tsx', 'utf8')
    const sources = Array.from(layout.matchAll(/'\.\/fonts\/([\w-]+)\.woff2'/g), ([, name = '']) => name)
    // As a build names them.
    const files = sources.map((name, index) => `${name.replaceAll('-', '_')}-s.p.${index}_~x.woff2`)
    expect(files).toHaveLength(3)
    const rules = fontFaces(files)
    for (const file of files)
      expect(rules.includes(`url(/_next/static/media/${file})`), file).toBe(!file.includes('mono'))
    expect(fontFaces([])).toBe('')
    expect(fontFaces(['public_sans_latin) evil(.woff2', 'public_sans_latin.css'])).toBe('')
    const families = Array.from(rules.matchAll(/font-family: ('[^']+')/g), ([, family]) => family)
    const html = errorPage(SETTINGS, { accept: '', cookie: '', referer: '' }, { status: 500, text: '' })
    for (const family of families) expect(html).toMatch(new RegExp(`font(?:-family)?: [^;]*${family},`))
    expect(PAGE_HEADERS['Content-Security-Policy']).toContain("font-src 'self'")
  })

  it('has the colours of the other pages', () => {
    const coloursOf = (css: string) =>
      new Set(Array.from(css.matchAll(/--(?:color-)?([a-z-]+: light-dark\([^)]+\))/g), ([, colour]) => colour))
    const all = coloursOf(readFileSync('app/globals.css', 'utf8'))
    const own = coloursOf(errorPage(SETTINGS, { accept: '', cookie: '', referer: '' }, { status: 500, text: '' }))
    expect(own.size).toBe(7)
    for (const colour of own) expect(all).toContain(colour)
  })
})
