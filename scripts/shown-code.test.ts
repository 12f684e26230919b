import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withShownCode } from './shown-code'

const SOURCE = `import x from 'x'

/** Outside. */
export function outside() {
  // A comment of the code before.

  /** Inside,
   * in two lines. */
  async function inside<T>(value: T) {
    if (value) {
      return value
    }
  }

  return inside
}
`
const block = (mark: string, code: string, language = 'ts') =>
  `<!-- code: ${mark} -->\n\n\`\`\`${language}\n${code}\n\`\`\``

describe('the code that a document shows', () => {
  const shown = (mark: string, code = 'old') => withShownCode(`Text\n\n${block(mark, code)}\n\nMore`, () => SOURCE)

  it('is a whole file', () => {
    expect(shown('a/b.ts')).toBe(`Text\n\n${block('a/b.ts', SOURCE.trimEnd())}\n\nMore`)
  })

  it('is a function with its comment, without indentation', () => {
    const code = `/** Inside,
 * in two lines. */
async function inside<T>(value: T) {
  if (value) {
    return value
  }
}`
    expect(shown('a/b.ts#inside')).toBe(`Text\n\n${block('a/b.ts#inside', code)}\n\nMore`)
    expect(shown('a/b.ts#outside')).toContain('/** Outside. */\nexport function outside() {\n')
  })

  it('stays the same when it is current, and may be an empty block', () => {
    const once = shown('a/b.ts#inside', '')
    expect(withShownCode(once, () => SOURCE)).toBe(once)
  })

  it('is not guessed: a function that is gone is an error', () => {
    expect(() => shown('a/b.ts#absent')).toThrow('a/b.ts has no function absent, which a document shows')
  })

  it('ends at its own block, and unmarked blocks stay', () => {
    const two = `${block('x.ts#inside', 'a `b` ``')}\n\n\`\`\`ts\nown\n\`\`\`\n\n${block('y.ts#inside', 'c')}`
    const after = withShownCode(two, () => SOURCE)
    expect(after).toContain('```ts\nown\n```')
    expect(after.match(/async function inside/g)).toHaveLength(2)
  })
})

it('docs/adopt.md takes all code of a VASP from an example that is tested', () => {
  const guide = readFileSync('docs/adopt.md', 'utf8')
  const blocks = [...guide.matchAll(/(.*)\n\n *```(?:tsx?|js|sql)\n/g)].map(([, before = '']) => before.trim())
  expect(blocks.length).toBeGreaterThan(8)
  expect(blocks.filter((before) => !/^<!-- (?:code: examples\/|plain: )/.test(before))).toEqual([])
})
