import { readFileSync, writeFileSync } from 'node:fs'
import { format, resolveConfig } from 'prettier'
import { importClosure, withCurrentParts } from './import-closure'

// Lists what a file needs when it is copied elsewhere: local files, then npm packages. See docs/adopt.md.
const GUIDE = 'docs/adopt.md'
const given = process.argv.slice(2)
if (given.length === 0) {
  console.error(`Usage: node scripts/ready.mjs scripts/imports.ts FILE…, or --write for the table in ${GUIDE}`)
  process.exitCode = 2
} else if (given[0] === '--write') {
  const text = withCurrentParts(readFileSync(GUIDE, 'utf8'))
  writeFileSync(GUIDE, await format(text, { ...(await resolveConfig(GUIDE)), filepath: GUIDE }))
} else {
  for (const entry of given) {
    const { files, packages } = importClosure(entry)
    console.log([...files, `packages: ${packages.join(' ') || 'none'}`].join('\n'))
  }
}
