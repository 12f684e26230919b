import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { build, ensureBuild } from './build'

// A project with one source file and a script as its Next: `good` in the source builds, anything else fails half-way.
const NEXT = `
  const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
  mkdirSync('.next/server', { recursive: true })
  const source = readFileSync('app/page.tsx', 'utf8')
  writeFileSync('.next/server/page.js', source)
  if (source === 'killed') process.kill(process.pid, 'SIGKILL')
  if (!source.startsWith('good')) { console.error('it does not compile'); process.exit(1) }
  writeFileSync('.next/BUILD_ID', source)`

const before = process.cwd()
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'build-'))
  process.chdir(folder)
  write('node_modules/next/dist/bin/next', NEXT)
  write('app/page.tsx', 'good')
})

afterEach(() => {
  process.chdir(before)
  rmSync(folder, { recursive: true, force: true })
})

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const built = (): string => readFileSync('.next/server/page.js', 'utf8') + readFileSync('.next/BUILD_ID', 'utf8')

/** The output of `npm run demo` while it checks for a build. */
function ensured(): string[] {
  const said: string[] = []
  ensureBuild((line) => said.push(line))
  return said
}

describe('the build', () => {
  it('by `npm run build` is used by the demo until a source changes', () => {
    build('pipe')
    expect(ensured()).toEqual([])
    write('app/page.tsx', 'good too')
    expect(ensured()).toEqual(['Building (half a minute) …'])
    expect(ensured()).toEqual([])
  })

  it('ignores changes to tests', () => {
    build('pipe')
    write('app/page.test.tsx', 'anything')
    expect(ensured()).toEqual([])
  })

  it.each(['broken', 'killed'])('that is %s keeps the previous build', (source) => {
    build('pipe')
    write('.next/cache/kept', '')
    write('app/page.tsx', source)
    expect(() => build('pipe')).toThrow('The previous build is kept.')
    expect(built()).toBe('goodgood')
    expect(existsSync('.next/cache/kept')).toBe(true)
    write('app/page.tsx', 'good')
    expect(ensured()).toEqual([])
  })

  it('that fails prints its output', () => {
    write('app/page.tsx', 'broken')
    expect(() => build('pipe')).toThrow(/^The build failed\.\n[^]*it does not compile/)
  })
})
