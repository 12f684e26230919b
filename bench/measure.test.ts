import { expect, it } from 'vitest'
import { inTurns } from './measure'

it('measures in alternating rounds, in the opposite order every other round', async () => {
  const order: string[] = []
  const measured = ['a', 'b'].map((name) => () => {
    order.push(name)
    return Promise.resolve(order.length)
  })
  expect(await inTurns(3, measured)).toEqual([
    [1, 4, 5],
    [2, 3, 6],
  ])
  expect(order.join('')).toBe('abbaab')
})
