import { describe, expect, it } from 'vitest'
import { rosetteOf } from './rosette'

describe('rosetteOf', () => {
  it('draws the same figure for the same address every time', () => {
    expect(rosetteOf('$alice@localhost:3000')).toEqual(rosetteOf('$alice@localhost:3000'))
  })

  it('draws different figures for the seeded users', () => {
    const figures = ['alice', 'bob', 'yuki', 'khalid', 'penny'].map((name) =>
      JSON.stringify(rosetteOf(`$${name}@localhost:3000`)),
    )
    expect(new Set(figures).size).toBe(5)
  })

  it('keeps the shapes and adds lines at a higher fineness', () => {
    const [small, large] = [rosetteOf('localhost:3000').rings, rosetteOf('localhost:3000', 4).rings]
    expect(large.map(({ rx, ry }) => [rx, ry])).toEqual(small.map(({ rx, ry }) => [rx, ry]))
    expect(large.map(({ turns }) => turns.length)).toEqual(small.map(({ turns }) => 4 * turns.length))
  })

  it('draws inside its box, with a few ellipses in each ring', () => {
    for (let index = 0; index < 500; index++) {
      for (const { rx, ry, turns } of rosetteOf(`user ${index}`).rings) {
        expect(Math.max(rx, ry)).toBeLessThanOrEqual(50)
        expect(Math.min(rx, ry)).toBeGreaterThan(0)
        expect(turns.length).toBeGreaterThanOrEqual(1)
        expect(turns.length).toBeLessThanOrEqual(8)
      }
    }
  })
})
