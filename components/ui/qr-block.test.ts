import { renderToStaticMarkup } from 'react-dom/server'
import { encode } from 'uqr'
import { expect, it } from 'vitest'
import { QrBlock } from './qr-block'

it('encodes the text unchanged, because UMA addresses are lower case', () => {
  const text = '$alice@localhost:3000'
  const dark = (of: string): number => encode(of, { ecc: 'L', border: 4 }).data.flat().filter(Boolean).length
  const drawn = [...renderToStaticMarkup(QrBlock({ text, label: 'x' })).matchAll(/h(\d+)v1/g)]
  expect(drawn.reduce((sum, [, width]) => sum + Number(width), 0)).toBe(dark(text))
  expect(dark(text)).not.toBe(dark(text.toUpperCase()))
})
