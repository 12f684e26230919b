import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const sources = readdirSync('lib', { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts'))
  .map((path) => readFileSync(join('lib', path), 'utf8'))

// A connection keeps a text prepared under its name, and refuses another text of that name from then on. The embedded
// database does not, so that only a server would show it.
it('no two statements have one name', () => {
  const names = sources.flatMap((source) =>
    [...source.matchAll(/name: (?:'(\w+)'|`([\w${}]+)`),\s*text:/g)].map(([, plain, made]) => plain ?? made),
  )
  expect(names.length).toBeGreaterThan(100)
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
})
