import { expect, test } from 'vitest'
import { isBusy } from '../platform/concurrency/concurrency-limiter'
import { makeKnownQueue, makeStrangersQueue } from './strangers'

test('names below one site have one place together, and a short line', async () => {
  const inTurn = makeStrangersQueue([])
  const begun: string[] = []
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const hang = (domain: string): Promise<void> =>
    inTurn(domain, async () => {
      begun.push(domain)
      await ended
    })
  const made = Array.from({ length: 10 }, (_, index) => hang(`x${index}.evil.example`))
  const turned = Promise.allSettled(made)
  await inTurn('bank.other', () => Promise.resolve())
  expect(begun).toEqual(['x0.evil.example'])
  end()
  const answers = await turned
  const refused = answers.flatMap((each) => (each.status === 'rejected' ? [each.reason as unknown] : []))
  expect(begun).toHaveLength(5)
  expect(refused).toHaveLength(5)
  expect(refused.every(isBusy)).toBe(true)
})

test('local peers are sites of their own', async () => {
  const inTurn = makeStrangersQueue(['localhost:1', 'localhost:2'])
  const never = inTurn('localhost:1', () => new Promise<void>(() => {}))
  expect(await Promise.race([never, inTurn('localhost:2', () => Promise.resolve('answered'))])).toBe('answered')
})

test('names below one site with which money has moved leave places to others, however many they are', async () => {
  const inTurn = makeKnownQueue([])
  let end = (): void => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  const made = Array.from({ length: 30 }, (_, index) => inTurn(`x${index}.evil.example`, () => ended))
  const turned = Promise.allSettled(made)
  expect(await inTurn('bank.other', () => Promise.resolve('answered'))).toBe('answered')
  end()
  expect((await turned).filter(({ status }) => status === 'fulfilled')).toHaveLength(6)
})
