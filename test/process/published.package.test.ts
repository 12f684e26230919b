import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { copyToPack, install, pack, runIn, type PackageName } from '../programs/packed'

// What npm would publish, judged by the tools that authors of packages use.

const PACKAGES: readonly PackageName[] = ['uma-auth-vasp', 'uma-auth-conformance']
const PUBLINT = 'publint@0.3.25'
const ARE_THE_TYPES_WRONG = '@arethetypeswrong/cli@0.18.5'

let folder: string
let tools: string
const copies = new Map<PackageName, string>()

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'published-'))
  tools = join(folder, 'tools')
  mkdirSync(tools)
  writeFileSync(join(tools, 'package.json'), '{ "private": true }')
  install(tools, PUBLINT, ARE_THE_TYPES_WRONG)
  for (const name of PACKAGES) {
    const copy = copyToPack(name, folder)
    copies.set(name, copy)
    pack(copy, tools)
  }
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

const copyOf = (name: PackageName): string => copies.get(name) ?? ''

const manifestOf = (name: PackageName) =>
  JSON.parse(readFileSync(join('packages', name, 'package.json'), 'utf8')) as {
    readonly version: string
    readonly keywords: readonly string[]
    readonly exports: Readonly<Record<string, unknown>>
  }

/** What npm says that it would publish. */
interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

describe.each(PACKAGES)('%s', (name) => {
  const packed = (): Packed => {
    const written = runIn(copyOf(name), 'npm', 'pack', '--dry-run', '--json', '--silent', '--ignore-scripts')
    const [first] = JSON.parse(written.slice(written.indexOf('['))) as [Packed]
    return first
  }
  const tool = (program: string, ...args: readonly string[]): string =>
    runIn(tools, process.execPath, join('node_modules', program), ...args)

  it('publishes its build with types and source maps, its documents, and nothing else', () => {
    const paths = packed().files.map(({ path }) => path)
    const documents = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']
    expect(paths.filter((path) => !path.startsWith('dist/')).toSorted()).toEqual(documents)
    const modules = paths.filter((path) => /^dist\/.*\.js$/.test(path)).map((path) => path.replace(/\.js$/, ''))
    expect(modules.length).toBeGreaterThan(10)
    const built = modules.flatMap((path) => [`${path}.js`, `${path}.js.map`, `${path}.d.ts`])
    expect(paths.filter((path) => path.startsWith('dist/')).toSorted()).toEqual(built.toSorted())
  })

  it('is found in order by publint', () => {
    expect(tool('publint/src/cli.js', 'run', packed().filename, '--strict')).toContain('All good!')
  })

  it('has types that Node and bundlers resolve, for each entry point', () => {
    const written = tool(
      '@arethetypeswrong/cli/dist/index.js',
      packed().filename,
      '--profile',
      'esm-only',
      '--no-color',
    )
    for (const entry of Object.keys(manifestOf(name).exports))
      expect(written).toContain(`"${entry.replace('.', name)}"`)
  })

  it('has keywords, and a version that its changelog describes', () => {
    const { version, keywords } = manifestOf(name)
    expect(readFileSync(join('packages', name, 'CHANGELOG.md'), 'utf8')).toContain(`\n## ${version}\n`)
    expect(keywords).toContain('uma-auth')
  })
})
