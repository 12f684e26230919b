import { importClosure } from './import-closure'

// Lists what a file needs when it is copied elsewhere: local files, then npm packages. docs/adopt.md says how.
const entries = process.argv.slice(2)
if (entries.length === 0) {
  console.error('Usage: node scripts/ready.mjs scripts/imports.ts FILE…')
  process.exitCode = 2
}
for (const entry of entries) {
  const { files, packages } = importClosure(entry)
  console.log([...files, `packages: ${packages.join(' ') || 'none'}`].join('\n'))
}
