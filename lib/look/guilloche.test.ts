import { describe, expect, it } from 'vitest'
import { rosetteOf } from './guilloche'

describe('rosetteOf', () => {
  it('draws the same curve for the same address every time', () => {
    expect(rosetteOf('$alice@localhost:3000')).toEqual(rosetteOf('$alice@localhost:3000'))
  })

  it('tells the seeded people apart', () => {
    const curves = ['alice', 'bob', 'yuki', 'khalid', 'penny'].map((name) =>
      rosetteOf(`$${name}@localhost:3000`).paths.join(),
    )
    expect(new Set(curves).size).toBe(5)
  })

  it('stays inside its box of 100 by 100', () => {
    for (let index = 0; index < 200; index++) {
      const numbers =
        rosetteOf(`person ${index}`)
          .paths.join(' ')
          .match(/-?\d+\.\d/g)
          ?.map(Number) ?? []
      expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0)
      expect(Math.max(...numbers)).toBeLessThanOrEqual(100)
    }
  })
})
