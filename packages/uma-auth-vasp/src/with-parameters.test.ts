import { describe, expect, it } from 'vitest'
import { withParameters } from './redirect-uri.ts'

describe('another party’s address keeps its query byte for byte', () => {
  it.each([
    ['https://a.example/cb', 'https://a.example/cb?amount=5'],
    ['https://a.example/cb?', 'https://a.example/cb?amount=5'],
    ['https://a.example/cb?close', 'https://a.example/cb?close&amount=5'],
    ['https://a.example/cb?close=', 'https://a.example/cb?close=&amount=5'],
    ['https://a.example/cb?next=%2Fa%20b', 'https://a.example/cb?next=%2Fa%20b&amount=5'],
    ['https://a.example/cb?id=a%20b&k1&sig=a+b/=', 'https://a.example/cb?id=a%20b&k1&sig=a+b/=&amount=5'],
    ['https://a.example/cb?x=1&&y=2&', 'https://a.example/cb?x=1&&y=2&amount=5'],
    ['https://a.example/cb?q=%e4%F6&q=~!*()', 'https://a.example/cb?q=%e4%F6&q=~!*()&amount=5'],
    ['https://a.example/cb?a=b?c=d', 'https://a.example/cb?a=b?c=d&amount=5'],
    ['https://A.example:443/x/../CB', 'https://A.example:443/x/../CB?amount=5'],
    ['myshop://callback?x={1}', 'myshop://callback?x={1}&amount=5'],
    ['https://a.example/cb?x=1#top', 'https://a.example/cb?x=1&amount=5#top'],
    ['https://a.example/cb#top?x=1', 'https://a.example/cb?amount=5#top?x=1'],
  ])('%s becomes %s', (address, result) => {
    expect(withParameters(address, { amount: '5' })).toBe(result)
  })

  it.each(['?amount=9&x=1', '?x=1&amount=9', '?amount&x=1', '?x=1&am%6Funt=9', '?amount=9&x=1&amount=8'])(
    'and no parameter is given twice: %s',
    (query) => {
      expect(withParameters(`https://a.example/cb${query}`, { amount: '5' })).toBe('https://a.example/cb?x=1&amount=5')
    },
  )

  it('and each of our values arrives as it was', () => {
    const values = { state: 'a b+c&d=e%20#?/é', code: '' }
    const url = new URL(withParameters('https://a.example/cb?close', values))
    expect(Object.fromEntries(url.searchParams)).toEqual({ close: '', ...values })
  })
})
