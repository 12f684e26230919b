import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { amountHint } from './approval'
import { budgetText, cycleAt, holdOf, leftOf, parseBudget, parseBuffer, type Limit } from './budget'
import { parseMoney, plainMoney } from './money-text'

const DAY = 86_400

describe('budgets', () => {
  it.each([
    ['5000.USD/weekly', { amount: 5_000, currencyCode: 'USD', frequency: 'weekly' }],
    ['5000.USD', { amount: 5_000, currencyCode: 'USD', frequency: 'none' }],
    ['5000', { amount: 5_000, currencyCode: 'SAT', frequency: 'none' }],
    ['5000/daily', { amount: 5_000, currencyCode: 'SAT', frequency: 'daily' }],
    ['5000.usd', { amount: 5_000, currencyCode: 'USD', frequency: 'none' }],
    ['5000.US', undefined],
    ['50.00.USD', undefined],
    ['-1.USD', undefined],
    ['1e3.USD', undefined],
    ['5000.USD/fortnightly', undefined],
    ['٥.USD', undefined],
    ['', undefined],
  ])('read %j as %j', (text, budget) => {
    expect(parseBudget(text)).toEqual(budget)
  })

  it('are written as they are read, without a period when they never renew', () => {
    expect(budgetText({ amount: 5_000, frequency: 'weekly', startSeconds: 0 }, 'USD')).toBe('5000.USD/weekly')
    expect(budgetText({ amount: 5_000, frequency: 'none', startSeconds: 0 }, 'SAT')).toBe('5000.SAT')
    expect(budgetText(null, 'USD')).toBeNull()
  })

  it.each([
    ['1', 103, 103],
    ['1.1', 103, 114],
    ['1.1', 1, 2],
    ['1.10', 10, 11],
    ['2', 9_007_199_254_740, 18_014_398_509_480],
  ])('hold ceil(estimate × buffer): buffer %s, estimate %s, hold %s', (buffer, estimate, hold) => {
    expect(holdOf(estimate, parseBuffer(buffer))).toBe(hold)
  })

  it.each(['0.9', '0', '-1', '1,1', 'NaN', '', '1.1234567'])('reject a buffer of %j', (text) => {
    expect(() => parseBuffer(text)).toThrow()
  })

  it('run in consecutive cycles from their creation', () => {
    const limit: Limit = { amount: 100, frequency: 'weekly', startSeconds: 1_000 }
    expect(cycleAt(limit, 1_000)).toEqual({ startSeconds: 1_000, endSeconds: 1_000 + 7 * DAY, spent: 0, held: 0 })
    expect(cycleAt(limit, 1_000 + 7 * DAY - 1).startSeconds).toBe(1_000)
    expect(cycleAt(limit, 1_000 + 7 * DAY).startSeconds).toBe(1_000 + 7 * DAY)
    expect(cycleAt({ ...limit, frequency: 'none' }, 10 ** 9)).toMatchObject({ startSeconds: 1_000, endSeconds: null })
  })

  it('have zero left, and never less, when a settlement exceeds its hold', () => {
    const limit: Limit = { amount: 100, frequency: 'none', startSeconds: 0 }
    expect(leftOf(limit, { startSeconds: 0, endSeconds: null, spent: 90, held: 5 })).toBe(5)
    expect(leftOf(limit, { startSeconds: 0, endSeconds: null, spent: 120, held: 0 })).toBe(0)
  })
})

describe('amounts in forms', () => {
  it('are read back as they were written, for every number of decimals', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 12 }), fc.integer({ min: 0, max: 3 }), (amount, decimals) => {
        expect(parseMoney(plainMoney(amount, decimals), decimals)).toBe(amount)
      }),
    )
  })

  it.each([
    ['1,234', 'KWD', 3, '1,234 can mean 1234 or 1.234. Type one of these.'],
    ['1.234', 'USD', 2, 'Enter an amount above zero with at most 2 decimals after a point, such as 25.00 USD.'],
    ['1,5', 'JPY', 0, 'Enter a whole amount above zero, such as 25 JPY.'],
  ])('explain why %j %s is refused', (text, code, decimals, hint) => {
    expect(amountHint({ code, decimals }, text)).toBe(hint)
  })
})
