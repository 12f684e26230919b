import { describe, expect, it } from 'vitest'
import { CURRENCY_CODES, currencyOf } from './currencies'
import { CURRENCY_LIST } from './currency-list'

describe.each(CURRENCY_CODES)('the line of %s', (code) => {
  it('has a code of three letters, which gateways can store', () => {
    expect(code).toMatch(/^[A-Z]{3}$/)
  })

  it('has a name, a symbol and decimals, and a unit worth at least two millisatoshis', () => {
    const [msats, units] = CURRENCY_LIST[code].price
    expect(currencyOf(code)).toEqual({
      code,
      symbol: expect.stringMatching(/^\S{1,4}$/) as string,
      name: expect.stringMatching(/^\S.*\S$/) as string,
      decimals: expect.toSatisfy((digits: number) => Number.isInteger(digits) && digits >= 0 && digits <= 8) as number,
    })
    expect(units).toBeGreaterThan(0n)
    expect(msats).toBeGreaterThanOrEqual(2n * units)
  })
})
