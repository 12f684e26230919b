import { expect, it } from 'vitest'
import { createBatchLoader } from './concurrency'

/** Rounds that end when they are told to. */
function heldRounds() {
  const rounds: { readonly questions: readonly number[]; end(error?: Error): void }[] = []
  const one = createBatchLoader(
    (questions: readonly number[]) =>
      new Promise<number[]>((resolve, reject) => {
        rounds.push({
          questions,
          end: (error) => (error === undefined ? resolve(questions.map((each) => each * 10)) : reject(error)),
        })
      }),
  )
  return { rounds, one }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('asks together what came in one turn, and gives each its own answer', async () => {
  const { rounds, one } = heldRounds()
  const answers = Promise.all([one(1), one(2), one(3)])
  await turn()
  expect(rounds.map(({ questions }) => questions)).toEqual([[1, 2, 3]])
  rounds[0]?.end()
  expect(await answers).toEqual([10, 20, 30])
})

it('never puts a question into a round that began before it', async () => {
  const { rounds, one } = heldRounds()
  const [first, second] = [one(1), (await turn(), one(2))]
  await turn()
  const third = one(3)
  await turn()
  expect(rounds.map(({ questions }) => questions)).toEqual([[1], [2]])
  rounds[0]?.end()
  expect(await first).toBe(10)
  await turn()
  expect(rounds.map(({ questions }) => questions)).toEqual([[1], [2], [3]])
  rounds[1]?.end()
  rounds[2]?.end()
  expect([await second, await third]).toEqual([20, 30])
})

it('asks a hundred at most in a round, and all of them in the end', async () => {
  const { rounds, one } = heldRounds()
  const answers = Promise.all(Array.from({ length: 250 }, (_, index) => one(index)))
  for (let round = 0; round < 3; round++) {
    await turn()
    rounds[round]?.end()
  }
  expect(await answers).toEqual(Array.from({ length: 250 }, (_, index) => index * 10))
  expect(rounds.map(({ questions }) => questions.length)).toEqual([100, 100, 50])
})

it('gives a failure to everybody of its round and to nobody else', async () => {
  const { rounds, one } = heldRounds()
  const failed = Promise.allSettled([one(1), one(2)])
  await turn()
  const fine = one(3)
  await turn()
  rounds[0]?.end(new Error('lost'))
  rounds[1]?.end()
  expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(await fine).toBe(30)
})
