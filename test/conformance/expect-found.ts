import { expect } from 'vitest'
import { findMistakes } from './mutations/run'
import type { Mutation } from './mutations/tools'

/** Of a hundred mistakes, as many are found by the case that the table names. */
const NAMED_PERCENT = 95

/** Asserts that each mistake is found, nearly all by the named case, and those marked `alone` by no other. */
export async function expectFound(mutations: readonly Mutation[]): Promise<void> {
  const findings = await findMistakes(mutations)
  const text = ({ mutation, failed, unexplained }: (typeof findings)[number]) => ({
    caughtBy: mutation.caughtBy,
    mistake: mutation.mistake,
    failed,
    unexplained,
  })
  expect(
    findings.filter(({ foundBy, unexplained }) => foundBy === 'nothing' || unexplained.length > 0).map(text),
  ).toEqual([])
  expect(
    findings.filter(({ mutation, failed }) => mutation.alone === true && failed.join() !== mutation.caughtBy).map(text),
  ).toEqual([])
  const unnamed = findings.filter(({ foundBy }) => foundBy !== 'named').map(text)
  if (unnamed.length * 100 > findings.length * (100 - NAMED_PERCENT)) expect(unnamed).toEqual([])
}
