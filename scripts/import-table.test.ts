import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parseSync } from 'vite'
import { expect, it } from 'vitest'
import { FOLDERS_OF, MAY_IMPORT, PACKAGES_OF } from './import-table'

const SKIPPED = new Set(['node_modules', 'generated', 'dist', 'public'])
const isSource = (name: string): boolean => /\.(?:tsx?|mjs|js)$/.test(name)
const isTest = (name: string): boolean =>
  /\.(?:test|spec|sim|load|conformance|measure|input)\.tsx?$/.test(name) || /^(?:test|e2e)\//.test(name)

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return SKIPPED.has(entry.name) || entry.name.startsWith('.') ? [] : filesBelow(path)
    return isSource(entry.name) && entry.name !== 'next-env.d.ts' ? [path] : []
  })
}

const files = filesBelow('.')
const known = new Set(files)
const rows = Object.keys(MAY_IMPORT).toSorted((one, other) => other.length - one.length)
const rowOf = (file: string): string | undefined => rows.find((row) => file === row || file.startsWith(`${row}/`))

interface Import {
  readonly file: string
  /** The text of the import. */
  readonly name: string
  /** A file of this repository, or the name of a package. */
  readonly target: string
}

function importsOf(file: string): Import[] {
  const source = readFileSync(file, 'utf8')
  const { module, errors } = parseSync(file, source)
  expect(errors, file).toEqual([])
  const names = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
    ),
    ...module.dynamicImports.flatMap(
      ({ moduleRequest: { start, end } }) => /^'(.*)'$/.exec(source.slice(start, end))?.[1] ?? [],
    ),
  ]
  return names.flatMap((name) => {
    const target = resolved(file, name)
    return target === undefined ? [] : [{ file, name, target }]
  })
}

/** Undefined for a module of Node, and for a file that is generated. */
function resolved(file: string, name: string): string | undefined {
  if (name.startsWith('node:')) return undefined
  const local = name.startsWith('@/') ? name.slice(2) : name.startsWith('.') ? join(dirname(file), name) : undefined
  if (local === undefined) {
    const [first = '', second = ''] = name.split('/')
    const target = first.startsWith('@') ? `${first}/${second}` : first
    return target.startsWith('uma-auth-') ? `packages/${target}` : target
  }
  return [local, `${local}.ts`, `${local}.tsx`, `${local}.mjs`, join(local, 'index.ts')].find((path) => known.has(path))
}

const REFUSED =
  'Move the code (docs/change.md, "Where code belongs", names the place of each kind), or allow the import in scripts/import-table.ts and give the reason in the commit.'

const imports = files.filter((file) => !isTest(file)).flatMap(importsOf)

it('every source file belongs to a row of the table', () => {
  const without = files.filter((file) => !isTest(file) && rowOf(file) === undefined)
  expect(without, 'Add a row for the folder to scripts/import-table.ts, at its layer.').toEqual([])
})

it('a folder imports what its row allows', () => {
  const refused = imports.filter(({ file, target }) => {
    const row = rowOf(file)
    const into = rowOf(target)
    return row !== undefined && into !== undefined && row !== into && !MAY_IMPORT[row]?.split(' ').includes(into)
  })
  expect(
    refused.map(({ file, target }) => `${file} imports ${target}`),
    REFUSED,
  ).toEqual([])
})

it('the table has no entry that no file needs', () => {
  const used = new Set(imports.map(({ file, target }) => `${rowOf(file)} imports ${rowOf(target)}`))
  const listed = Object.entries(MAY_IMPORT).flatMap(([row, into]) =>
    into === '' ? [] : into.split(' ').map((each) => `${row} imports ${each}`),
  )
  const unused = 'Delete it from scripts/import-table.ts.'
  expect(
    listed.filter((entry) => !used.has(entry)),
    unused,
  ).toEqual([])
  expect(
    rows.filter((row) => !files.some((file) => rowOf(file) === row)),
    unused,
  ).toEqual([])
})

const isBelow = (file: string, folders: string): boolean =>
  folders.split(' ').some((folder) => file === folder || file.startsWith(`${folder}/`))

it('a package or its entry point is imported where the table allows it', () => {
  const refused = imports.filter(({ file, name, target }) =>
    [target, name.replace(/\.js$/, '')].some((imported) => {
      const folders = FOLDERS_OF[imported]
      return folders !== undefined && !isBelow(file, folders)
    }),
  )
  expect(
    refused.map(({ file, name }) => `${file} imports ${name}`),
    REFUSED,
  ).toEqual([])
})

it('a folder that others install imports only the packages of its row', () => {
  for (const [folder, packages] of Object.entries(PACKAGES_OF)) {
    const used = imports.filter(({ file }) => isBelow(file, `${folder}/src`)).map(({ target }) => target)
    const foreign = used.filter((target) => !known.has(target) && rowOf(target) === undefined)
    expect([...new Set(foreign)].toSorted()).toEqual(packages.split(' '))
  }
})
