import { describe, expect, it } from 'vitest'
import { STYLE as GATEWAY } from '../gateway/style'
import { STYLE as SHOP } from '../shop/style'

const NARROW = /@media \(max-width:719px\) \{(.*)\n?.*\}/

/** The rules as selector and declarations; those for narrow screens are not among them. */
function rulesOf(style: string): [selector: string, declarations: string][] {
  const wide = style.replaceAll(/@(?:media|font-face)[^\n]*(?:\n {2}[^\n]*)*/g, '')
  return [...wide.matchAll(/([^{}]+)\{([^{}]*)\}/g)].map(([, selector = '', declarations = '']) => [
    selector.trim(),
    declarations,
  ])
}

describe.each([
  ['gateway simulator', GATEWAY],
  ['shop', SHOP],
])('The %s’s pages with one long word of another party, at 320 px', (_name, style) => {
  it('break it anywhere: in the whole page, and no element takes that back', () => {
    expect(rulesOf(style).find(([selector]) => selector === 'body')?.[1]).toContain('overflow-wrap:anywhere')
    expect(style).not.toMatch(/overflow-wrap:(?!anywhere)|word-break:keep-all/)
  })

  it('let no element refuse to break on a narrow screen, except a price of our own', () => {
    const narrow = NARROW.exec(style)?.[1] ?? ''
    const rigid = rulesOf(style).flatMap(([selector, text]) =>
      /white-space:(?:nowrap|pre)\b(?!-)/.test(text) ? [selector] : [],
    )
    for (const selector of rigid.filter((each) => each !== '.price')) {
      expect(narrow).toContain(`${selector} { white-space:normal }`)
    }
  })

  it('let a group of fields become as narrow as the page', () => {
    expect(rulesOf(style).find(([selector]) => selector === 'fieldset')?.[1]).toContain('min-width:0')
  })

  it('have no width above 280 px that a narrow screen keeps', () => {
    for (const [selector, text] of rulesOf(style))
      for (const [, px = '0'] of text.matchAll(/(?:^|[;\s])(?:min-)?width:(\d+)px/g))
        expect(Number(px), selector).toBeLessThanOrEqual(280)
  })
})
