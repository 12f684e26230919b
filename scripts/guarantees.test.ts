import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { MUTATIONS } from '@/test/mutations'

const rows = readFileSync('docs/guarantees.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && line.includes('.test.ts'))
const owners = rows.map((row) => /`([^`]+)` *\|$/.exec(row)?.[1] ?? row)

it('each promise in docs/guarantees.md has one owner, a test file that exists', () => {
  expect(owners.filter((file) => !existsSync(file))).toEqual([])
  expect(owners.filter((file, index) => owners.indexOf(file) !== index)).toEqual([])
  expect(owners.length).toBeGreaterThan(40)
})

it('each planted fault is found by an owner', () => {
  const lost = MUTATIONS.filter(({ tests }) => !tests.some((file) => owners.includes(file)))
  expect(lost.map(({ number, breaks, tests }) => `${number} ${breaks} ${tests.join(' ')}`)).toEqual([])
})
