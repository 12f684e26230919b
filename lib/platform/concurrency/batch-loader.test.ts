import { expect, it } from 'vitest'
import { createBatchLoader } from './batch-loader'

/** Batches that end when the test ends them. */
function heldBatches() {
  const batches: { readonly keys: readonly number[]; end(error?: Error): void }[] = []
  const load = createBatchLoader(
    (keys: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        batches.push({
          keys,
          end: (error) => (error === undefined ? resolve(keys.map((each) => each * 10)) : reject(error)),
        })
      }),
  )
  return { batches, load }
}

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('loads the keys of one tick in one batch, and gives each key its own value', async () => {
  const { batches, load } = heldBatches()
  const values = Promise.all([load(1), load(2), load(3)])
  await tick()
  expect(batches.map(({ keys }) => keys)).toEqual([[1, 2, 3]])
  batches[0]?.end()
  expect(await values).toEqual([10, 20, 30])
})

it('never adds a key to a batch that has already started', async () => {
  const { batches, load } = heldBatches()
  const [first, second] = [load(1), (await tick(), load(2))]
  await tick()
  const third = load(3)
  await tick()
  expect(batches.map(({ keys }) => keys)).toEqual([[1], [2]])
  batches[0]?.end()
  expect(await first).toBe(10)
  await tick()
  expect(batches.map(({ keys }) => keys)).toEqual([[1], [2], [3]])
  batches[1]?.end()
  batches[2]?.end()
  expect([await second, await third]).toEqual([20, 30])
})

it('loads at most a hundred keys in one batch, and the other keys in further batches', async () => {
  const { batches, load } = heldBatches()
  const values = Promise.all(Array.from({ length: 250 }, (_, index) => load(index)))
  for (let batch = 0; batch < 3; batch++) {
    await tick()
    batches[batch]?.end()
  }
  expect(await values).toEqual(Array.from({ length: 250 }, (_, index) => index * 10))
  expect(batches.map(({ keys }) => keys.length)).toEqual([100, 100, 50])
})

it('rejects all keys of a failed batch and no other key', async () => {
  const { batches, load } = heldBatches()
  const failed = Promise.allSettled([load(1), load(2)])
  await tick()
  const fine = load(3)
  await tick()
  batches[0]?.end(new Error('lost'))
  batches[1]?.end()
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await fine).toBe(30)
})
