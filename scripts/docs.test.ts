import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { COMMANDS, ERROR_CODES } from 'uma-auth-vasp'
import { describe, expect, it } from 'vitest'
import { SETTING_NAMES } from '../lib/platform/config'
import { FAULT_KINDS } from '../lib/sandbox/faults/types'
import { generatedDocs } from './generated-docs'
import { SETTING_TEXTS } from './setting-texts'
import { shownFiles } from './shown-code'

const read = (file: string): string => readFileSync(file, 'utf8')

/** Markdown without code blocks, whose `#` and brackets are not headings and links. */
const proseOf = (file: string): string => read(file).replaceAll(/^ *```[^]*?^ *```$/gm, '')

function markdownFiles(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((file) => join(folder, file))
    .filter((file) => file.endsWith('.md') && !file.includes('node_modules'))
}

const ROOT_FILES = readdirSync('.').filter((file) => file.endsWith('.md'))
const FILES = [...ROOT_FILES, ...['docs', 'sandbox', 'examples', 'packages', 'test'].flatMap(markdownFiles)]

/** The code of the table rows that begin with code, as cells. */
function rowsOf(file: string): string[][] {
  return [...read(file).matchAll(/^\| `.*\|$/gm)].map(([row]) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
}

/** Paths of source files and folders that a document names. */
function sourcesOf(file: string): string[] {
  const names = [
    ...proseOf(file).matchAll(/`((?:lib|app|packages|scripts|sandbox|prisma|test|examples|bench)\/[^`\s*…]*)`/g),
  ]
  return names.map(([, name = '']) => name)
}

/** Anchors as code hosts derive them from headings: lower case, no punctuation, a hyphen for each space. */
function anchorsOf(file: string): string[] {
  return [...proseOf(file).matchAll(/^#{1,6} (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

/** Relative link targets of a file. */
function linksOf(file: string): string[] {
  return [...proseOf(file).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))
}

/** Why a link is broken; undefined for a valid one. */
function faultOf(file: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#', 2)
  const linked = path === '' ? file : join(dirname(file), path)
  if (!existsSync(linked)) return `${file}: ${target}: no such file`
  if (anchor === undefined) return undefined
  return statSync(linked).isFile() && anchorsOf(linked).includes(anchor)
    ? undefined
    : `${file}: ${target}: no such heading`
}

describe('relative links in all documents', () => {
  it('lead to files and headings that exist', () => {
    const links = FILES.flatMap((file) => linksOf(file).map((target) => [file, target] as const))
    expect(links.length).toBeGreaterThan(20)
    expect(links.map(([file, target]) => faultOf(file, target)).filter(Boolean)).toEqual([])
  })

  it('show exactly the pictures in docs/images, each of which has a text file', () => {
    const linked = FILES.flatMap((file) => linksOf(file).map((target) => join(dirname(file), target)))
    const shown = new Set(linked.filter((target) => /\.(?:png|jpe?g|gif|webp|svg)$/i.test(target)))
    const files = [...shown].flatMap((picture) => [picture, picture.replace(/\.png$/, '.txt')])
    expect(files.toSorted()).toEqual(
      readdirSync('docs/images', { recursive: true, withFileTypes: true })
        .flatMap((file) => (file.isFile() ? [join(file.parentPath, file.name)] : []))
        .toSorted(),
    )
  })
})

describe('the README', () => {
  it('lists every command with its method and path', () => {
    expect(
      rowsOf('README.md').flatMap(([name, path]) => (path?.startsWith('`') === true ? [[name, path]] : [])),
    ).toEqual(COMMANDS.map(({ name, method, path }) => [`\`${name}\``, `\`${method} ${path}\``]))
  })
})

it("the package's README lists every command with its method of the backend and its endpoint", () => {
  const rows = rowsOf('packages/uma-auth-vasp/README.md').filter(([, , endpoint]) => /^`[A-Z]+ \//.test(endpoint ?? ''))
  expect(rows.map(([method, name, endpoint]) => [method, name, endpoint])).toEqual(
    COMMANDS.map(({ backendMethod, name, method, path }) =>
      [backendMethod, name, `${method} ${path}`].map((text) => `\`${text}\``),
    ),
  )
})

describe('all documents', () => {
  it('name npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> }
    const named = ROOT_FILES.concat(markdownFiles('docs')).flatMap((file) =>
      [...read(file).matchAll(/npm run (?:--silent )?([a-z:-]+)/g)].map(([, name = '']) => name),
    )
    for (const name of named) expect(Object.keys(scripts)).toContain(name)
  })

  it.each(FILES.filter((file) => !file.startsWith('docs/decisions/')))('name source files that exist: %s', (file) => {
    const missing = sourcesOf(file).filter((name) => !existsSync(name) && !name.endsWith('.tgz'))
    expect(missing).toEqual([])
  })

  it('are all linked from docs/index.md', () => {
    const linked = linksOf('docs/index.md').map((target) => join('docs', target))
    for (const file of readdirSync('docs').filter((name) => name.endsWith('.md') && name !== 'index.md'))
      expect(linked).toContain(join('docs', file))
  })
})

it('CHANGELOG.md has each change once', () => {
  const changes = read('CHANGELOG.md')
    .split('\n')
    .filter((line) => line.startsWith('- '))
  expect(changes.filter((line, index) => changes.indexOf(line) !== index)).toEqual([])
})

describe('docs/architecture.md', () => {
  it('names SQL statements that the named files contain', () => {
    const rows = rowsOf('docs/architecture.md').filter(([name = '']) => /^`[a-z]+(_[a-z]+)+`/.test(name))
    expect(rows.length).toBeGreaterThan(7)
    for (const [names = '', file = ''] of rows)
      for (const [, name] of names.matchAll(/`(\w+)`/g)) expect(read(file.replaceAll('`', ''))).toContain(`'${name}'`)
  })
})

describe('generated documents', () => {
  it('are up to date: npm run docs', async () => {
    for (const [file, text] of Object.entries(await generatedDocs())) expect(read(file), file).toBe(text)
  })

  it('describe exactly the settings that the server reads', () => {
    const described = Object.values(SETTING_TEXTS).flatMap((settings) => Object.keys(settings))
    expect(described.toSorted()).toEqual([...SETTING_NAMES].toSorted())
  })
})

describe('decisions', () => {
  const records = readdirSync('docs/decisions').filter((file) => /^\d{4}-/.test(file))

  it.each(records)('have a title, a status, a context, a decision, alternatives and consequences: %s', (file) => {
    const text = read(join('docs/decisions', file))
    expect(text).toMatch(new RegExp(`^# ${file.slice(0, 4)} [A-Z]`))
    const parts = [...text.matchAll(/^\*\*([A-Z]\w+)(?::\*\*|\.\*\*)/gm)].map(([, part]) => part)
    expect(parts).toEqual(['Status', 'Context', 'Decision', 'Alternatives', 'Consequences'])
  })
})

describe('docs/connect-an-app.md', () => {
  const guide = read('docs/connect-an-app.md')

  /** First cells of the table that begins with this header cell, without code marks and emphasis. */
  function firstCells(header: string): string[] {
    const table = new RegExp(`^\\| ${header} +\\|.*\\n\\|[-| ]+\\n((?:\\|.*\\n)+)`, 'm').exec(guide)?.[1] ?? ''
    return [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
  }

  it('shows the example file as it is', () => {
    const shown = /<!-- example[^]*?```js\n([^]*?)```/.exec(guide)?.[1]
    expect(shown).toBe(read('examples/connect-an-app/app.mjs'))
  })

  it('names the versions of the libraries that the example is tested with', () => {
    const manifest = JSON.parse(read('package.json')) as Record<string, Record<string, string>>
    const versions = { ...manifest.dependencies, ...manifest.devDependencies }
    const names = [...guide.matchAll(/^npm install (.+)$/gm)].flatMap(([, list = '']) => list.split(' '))
    expect(names).toHaveLength(3)
    for (const name of names) expect(guide).toContain(`${name} ${versions[name]}`)
  })

  it('lists every parameter of the authorization request that the gateway reads', () => {
    const source = read('sandbox/gateway/authorize.ts')
    const names = [...source.matchAll(/parameterOf\(query, '(\w+)'\)/g)].map(([, name = '']) => name)
    expect(names.length).toBeGreaterThan(6)
    expect(firstCells('Parameter')).toEqual(expect.arrayContaining(names))
  })

  it('quotes the sentences of the gateway as they are', () => {
    const source = read('sandbox/gateway/authorize.ts') + read('sandbox/gateway/client-apps.ts')
    const quotes = [...guide.matchAll(/^\| \d{3} +\| (`[^|]+`) +\|/gm)].map(([, quote = '']) => quote)
    expect(quotes.length).toBeGreaterThan(5)
    for (const part of quotes.join(' ').split(/[`…]/)) expect(source).toContain(part.replaceAll(/^[ ,]+$/g, ''))
  })

  it('lists every field of the token response', () => {
    const source = /access_token: [^]*?\n {2}\}/.exec(read('sandbox/gateway/tokens.ts'))?.[0] ?? ''
    const names = [...source.matchAll(/^ *(\w+):/gm)].map(([, name = '']) => name)
    expect(names).toContain('nwc_connection_uri')
    expect(firstCells('Field').toSorted()).toEqual(expect.arrayContaining(names.toSorted()))
  })

  it('lists every command and every error code', () => {
    expect(firstCells('Command').toSorted()).toEqual(COMMANDS.map(({ name }) => name).toSorted())
    expect(firstCells('Code')).toEqual(ERROR_CODES)
  })
})

it('docs/faults.md describes every kind of fault', () => {
  const [table = ''] = read('docs/faults.md').split('## What an app receives over NWC')
  const cells = [...table.matchAll(/^\| (`[^|]*`) *\|/gm)].flatMap(([, cell = '']) => cell.split(', '))
  const lacking = [...FAULT_KINDS, 'expire_connection', 'expire_quote'].filter((kind) => !cells.includes(`\`${kind}\``))
  expect(lacking, 'Add a row to the table of kinds.').toEqual([])
})

describe('the job in docs/test-your-app.md', () => {
  const guide = read('docs/test-your-app.md')
  const files = shownFiles(guide, 'examples/test-your-app')

  it('has every file of the example, and no other code of its own but the lines that approve', () => {
    const folder = readdirSync('examples/test-your-app', { recursive: true, encoding: 'utf8' })
    const expected = folder.filter((file) => /\.(?:ts|yml)$/.test(file))
    expect([...files.keys()].toSorted()).toEqual(expected.toSorted())
    const blocks = [...guide.matchAll(/^```(?:ts|yaml)$/gm)]
    // The others: a test that uses `user`, and the lines that approve.
    expect(blocks).toHaveLength(files.size + 2)
  })

  it('says where the reader saves each file', () => {
    for (const file of files.keys()) expect(guide).toMatch(new RegExp(`\\bas \`${file.replaceAll('.', '\\.')}\``))
  })

  it('names the versions that it is tested with', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
    const names = [...guide.matchAll(/^npm install --save-dev (.+)$/gm)].flatMap(([, list = '']) => list.split(' '))
    expect(names).toEqual(['playwright', '@getalby/sdk'])
    for (const name of names) expect(guide).toContain(`${name} ${devDependencies[name]}`)
  })
})

it('docs/test-your-app.md has the lines that approve a connection in the browser tests', () => {
  const [, lines = ''] = /page of its own:\n\n```ts\n([\s\S]*?)```/.exec(read('docs/test-your-app.md')) ?? []
  const tested = read('e2e/sign-in/own-users.spec.ts')
  expect(lines.trim().split('\n')).toHaveLength(2)
  for (const line of lines.trim().split('\n')) expect(tested).toContain(line)
})
