import { describe, expect, it } from 'vitest'
import { median, pairedRatio, quantile, spreadOf, targetVerdict } from './statistics'

describe('statistics of the bench', () => {
  it('takes the middle value, or the mean of the middle two', () => {
    expect(median([3, 1, 2])).toBe(2)
    expect(median([4, 1, 2, 3])).toBe(2.5)
    expect(median([])).toBeNaN()
  })

  it('takes the smallest value that at least the given share of the values does not exceed', () => {
    const values = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect([quantile(values, 0.5), quantile(values, 0.99), quantile(values, 1)]).toEqual([50, 99, 100])
    expect(quantile([], 0.5)).toBeNaN()
  })

  it('pairs the rounds: a slow round changes both parts and not the ratio', () => {
    expect(pairedRatio([1, 10, 2], [2, 20, 4])).toEqual({ median: 2, least: 2, most: 2, rounds: 3 })
    expect(() => pairedRatio([1], [])).toThrow('Each round needs both')
  })
})

describe('the verdict on a target', () => {
  it('is not settled when the range includes the target, or after one round', () => {
    expect(targetVerdict(spreadOf([0.5]), 1.1)).toBe('not settled')
    expect(targetVerdict(spreadOf([0.8, 0.9, 1.1]), 1.1)).toBe('reached')
    expect(targetVerdict(spreadOf([1.2, 1.3, 1.4]), 1.1)).toBe('not reached')
    expect(targetVerdict(spreadOf([0.9, 1, 1.2]), 1.1)).toBe('not settled')
    expect(targetVerdict(spreadOf([1, 1.15, 1.2]), 1.1)).toBe('not settled')
  })
})
