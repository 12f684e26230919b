import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { withCurrentParts } from './import-closure'

const guide = readFileSync('docs/adopt.md', 'utf8')
const withoutBlanks = (text: string): string[] => text.split('\n').map((line) => line.replaceAll(/ +\|/g, ' |'))

describe('the parts to copy in docs/adopt.md', () => {
  it.each(['accounts', 'uma', 'ledger', 'lightning'])('include an entry file of lib/%s', (folder) => {
    expect(guide).toMatch(new RegExp(`^\\| .* \\| \`lib/${folder}/`, 'm'))
  })

  it('have the files, folders and packages of their imports: node scripts/ready.mjs scripts/imports.ts --write', () => {
    expect(withoutBlanks(guide)).toEqual(withoutBlanks(withCurrentParts(guide)))
  })
})
