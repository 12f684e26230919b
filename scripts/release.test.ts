import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

// docs/change.md, "Make a release".

const versionIn = (file: string): unknown => (JSON.parse(readFileSync(file, 'utf8')) as { version?: unknown }).version
/** The newest first. */
const releases = [...readFileSync('CHANGELOG.md', 'utf8').matchAll(/^## \[(.*?)\](.*)$/gm)].map(
  ([, name = '', rest = '']) => ({ name, rest }),
)
const [unreleased, ...released] = releases

it('the version of package.json is the newest release in CHANGELOG.md', () => {
  expect(unreleased).toEqual({ name: 'Unreleased', rest: '' })
  expect([versionIn('package.json'), versionIn('package-lock.json')]).toEqual([released[0]?.name, released[0]?.name])
})

it('each release in CHANGELOG.md has a version above the one before, and a date', () => {
  const names = released.map(({ name }) => name)
  expect(names).toEqual([...new Set(names)].toSorted((a, b) => b.localeCompare(a, 'en', { numeric: true })))
  for (const { name, rest } of released)
    expect([name, rest]).toEqual([
      expect.stringMatching(/^\d+\.\d+\.\d+$/),
      expect.stringMatching(/^ - \d{4}-\d{2}-\d{2}$/),
    ])
})

it.each(released.filter(({ name }) => name.endsWith('.0')))('release $name has its upgrade fixture', ({ name }) => {
  for (const kind of ['sql', 'json']) expect(existsSync(join('test', 'upgrades', `${name}.${kind}`))).toBe(true)
})
