import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { importClosure } from './import-closure'

const guide = readFileSync('docs/adopt.md', 'utf8')
const rows = (guide.split('<!-- imports: checked by scripts/adopt.test.ts -->')[1] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| '))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, , entry = '', ...cells]) => [entry.replaceAll('`', ''), ...cells.slice(0, 3)] as const)
  .filter(([entry]) => entry.includes('/'))

/** `lib/uma/ecies.ts` counts for `lib/uma`, `lib/errors.ts` for `lib`. */
const foldersOf = (files: readonly string[]): string[] => [
  ...new Set(files.map((file) => file.split('/').slice(0, -1).slice(0, 2).join('/'))),
]
const listed = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(', ') || 'none'

describe('the parts to copy in docs/adopt.md', () => {
  it('name the parts of the dashboard, UMA, ledger and Lightning', () => {
    const folders = rows.map(([entry]) => entry.split('/')[1])
    expect(folders).toEqual(expect.arrayContaining(['auth', 'uma', 'ledger', 'lightning']))
  })

  it.each(rows)('%s has the number of files, the folders and the packages of its imports', (entry, ...cells) => {
    const { files, packages } = importClosure(entry)
    expect(cells).toEqual([String(files.length), listed(foldersOf(files)), listed(packages)])
  })
})
