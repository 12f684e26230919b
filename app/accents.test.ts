import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ruleOf } from '@/lib/platform/config'

const css = readFileSync(new URL('globals.css', import.meta.url), 'utf8')
const AA = 4.5

/** The light and the dark value of a colour, within the part of the sheet that follows `from`. */
function pairOf(name: string, from = '@theme'): readonly [string, string] {
  const [, light, dark] =
    new RegExp(`--color-${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css.slice(css.indexOf(from))) ?? []
  if (light === undefined || dark === undefined) throw new Error(`globals.css has no ${name} after ${from}`)
  return [light, dark]
}

/** WCAG 2.2: (L1 + 0.05) / (L2 + 0.05). */
function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(colour.slice(at, at + 2), 16) / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

describe('An accent of VASP_ACCENT', () => {
  const accents = { green: pairOf('accent'), blue: pairOf('accent', "[data-accent='blue']") }

  it('is defined for each name', () => {
    expect(ruleOf('VASP_ACCENT')).toBe(`use ${Object.keys(accents).join(' or ')}`)
  })

  it.each(Object.entries(accents))(
    '%s is legible on paper and below the text of a button, light and dark',
    (_, accent) => {
      for (const ground of [pairOf('paper'), pairOf('on-accent')])
        for (const theme of [0, 1] as const) expect(contrast(accent[theme], ground[theme])).toBeGreaterThan(AA)
    },
  )
})
