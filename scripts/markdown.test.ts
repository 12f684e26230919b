import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import connectAnApp from '@/docs/connect-an-app.md'
import testYourApp from '@/docs/test-your-app.md'
import { renderGuide } from './markdown.mjs'

const render = (text: string) => renderGuide(text, 'docs/connect-an-app.md')

describe('a rendered guide', () => {
  it('has no title of its own, lower headings, and ids after its name', () => {
    const guide = render('# A `b` & c\n\nText.\n\n## 6. The `end` & more\n\n### Last\n')
    expect([guide.id, guide.title]).toEqual(['connect-an-app', 'A b & c'])
    expect(guide.sections).toEqual([{ id: 'connect-an-app-6-the-end--more', title: '6. The end & more' }])
    expect(guide.html).toBe(
      '<p>Text.</p>\n<h3 id="connect-an-app-6-the-end--more">6. The <code>end</code> &amp; more</h3>\n<h4 id="connect-an-app-last">Last</h4>\n',
    )
  })

  it.each([
    ['#6-refresh', '<a href="#connect-an-app-6-refresh">'],
    ['test-your-app.md', '<a href="#test-your-app">'],
    ['test-your-app.md#by-hand', '<a href="#test-your-app-by-hand">'],
    ['errors.md#codes', '<a href="/developers/errors">'],
    ['https://example.com/a?b=1&c=2#d', '<a href="https://example.com/a?b=1&amp;c=2#d">'],
  ])('leads from %s to what this server has', (target, link) => {
    expect(render(`[a *b*](${target})`).html).toBe(`<p>${link}a <em>b</em></a></p>\n`)
  })

  it.each(['settings.md', '../sandbox/shop/README.md', '../examples/connect-an-app/app.mjs#x'])(
    'has the words alone of a link to %s, which only the repository has',
    (target) => {
      expect(render(`[a *b*](${target})`).html).toBe('<p>a <em>b</em></p>\n')
    },
  )

  it('lets code and tables scroll inside themselves, by keyboard too', () => {
    expect(render('```js\nif (a < b) "c"\n```\n').html).toBe(
      '<pre tabindex="0"><code class="language-js">if (a &lt; b) &quot;c&quot;\n</code></pre>\n',
    )
    expect(render('| a |\n| - |\n| b |\n').html).toMatch(/^<div tabindex="0"><table>[^]*<\/table>\n<\/div>\n$/)
  })
})

it('the guides have ids that differ, and each link within them leads to one', () => {
  const html = [connectAnApp, testYourApp].map((guide) => `<h2 id="${guide.id}"></h2>${guide.html}`).join('')
  const ids = Array.from(html.matchAll(/ id="([^"]+)"/g), ([, id]) => id)
  expect(new Set(ids).size).toBe(ids.length)
  const targets = Array.from(html.matchAll(/ href="#([^"]+)"/g), ([, id]) => id)
  expect(targets).toContain('connect-an-app-6-refresh')
  expect(targets.filter((id) => !ids.includes(id))).toEqual([])
  expect(html).not.toMatch(/href="(?!#|https?:|\/)/)
})

it('the guides have the whole text of their documents', () => {
  for (const [guide, file] of [
    [connectAnApp, 'docs/connect-an-app.md'],
    [testYourApp, 'docs/test-your-app.md'],
  ] as const) {
    const text = readFileSync(file, 'utf8')
    expect(guide.html.match(/<pre /g)).toHaveLength((text.match(/^```\w/gm) ?? []).length)
    expect(guide.html.match(/<table>/g)).toHaveLength((text.match(/^\|(?: :?-+:? \|)+$/gm) ?? []).length)
    expect(guide.html.length).toBeGreaterThan(text.replaceAll(/ {2,}|-{2,}/g, ' ').length)
  }
})
