import { execFileSync } from 'node:child_process'
import type * as Fs from 'node:fs'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { checkedBuildInfo } from '@/lib/platform/build-info'
import { build, ensureBuild } from './build'

/** How many changes of files the process makes before it is killed. */
const life = vi.hoisted(() => ({ changesLeft: Infinity }))

vi.mock('node:fs', async (importOriginal) => {
  const fs = await importOriginal<typeof Fs>()
  const mortal =
    <Args extends unknown[], Result>(change: (...args: Args) => Result) =>
    (...args: Args): Result => {
      if (life.changesLeft-- <= 0) throw new Error('killed here')
      return change(...args)
    }
  return {
    ...fs,
    renameSync: mortal(fs.renameSync),
    rmSync: mortal(fs.rmSync),
    writeFileSync: mortal(fs.writeFileSync),
  }
})

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
async function ensured(): Promise<string[]> {
  const said: string[] = []
  await ensureBuild((line) => said.push(line))
  return said
}

describe('the build', () => {
  it('by `npm run build` is used by the demo until a source changes', async () => {
    await build('pipe')
    expect(await ensured()).toEqual([])
    write('app/page.tsx', 'good too')
    expect(await ensured()).toEqual(['Building (half a minute) …'])
    expect(await ensured()).toEqual([])
  })

  describe('names', () => {
    const info = (): unknown => JSON.parse(readFileSync('.next/build-info.json', 'utf8'))
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b.example', ...args], { encoding: 'utf8' }).trim()
    const commitAll = (): string => {
      write('.gitignore', '.next')
      git('init', '--quiet')
      git('add', '.')
      git('commit', '--quiet', '--message=first')
      return git('rev-parse', 'HEAD')
    }

    it('nothing that it cannot know', async () => {
      await build('pipe')
      expect(info()).toEqual({ version: 'unknown', commit: 'unknown' })
    })

    it('the version and the commit, and whether files were changed since', async () => {
      write('package.json', '{"version":"2.3.4-rc.1"}')
      const commit = commitAll()
      // The newest tag of a release is not its commit.
      git('tag', 'v2.3.4')
      await build('pipe')
      expect(info()).toEqual({ version: '2.3.4-rc.1', commit })
      write('app/page.tsx', 'good too')
      await build('pipe')
      expect(info()).toEqual({ version: '2.3.4-rc.1', commit: `${commit}-dirty` })
    })

    it('no commit of a repository around it', async () => {
      commitAll()
      mkdirSync('unpacked/app', { recursive: true })
      process.chdir('unpacked')
      write('node_modules/next/dist/bin/next', NEXT)
      write('app/page.tsx', 'good')
      await build('pipe')
      expect(info()).toMatchObject({ commit: 'unknown' })
    })

    it.each([
      ['1234567890abcdef1234567890abcdef12345678', '1234567890abcdef1234567890abcdef12345678'],
      ['main', 'unknown'],
      ['<b>', 'unknown'],
    ])('the commit %s that an image is given as %s', async (given, shown) => {
      vi.stubEnv('BUILD_COMMIT', given)
      await build('pipe')
      vi.unstubAllEnvs()
      expect(info()).toMatchObject({ commit: shown })
    })

    it.each([undefined, null, 'text', { version: 1, commit: ['a'] }, { version: '1.2', commit: 'ABCDEF1' }])(
      'nothing from a damaged file (%j)',
      (found) => expect(checkedBuildInfo(found)).toEqual({ version: 'unknown', commit: 'unknown' }),
    )
  })

  it('ignores changes to tests', async () => {
    await build('pipe')
    write('app/page.test.tsx', 'anything')
    expect(await ensured()).toEqual([])
  })

  it.each(['broken', 'killed'])('that is %s keeps the previous build', async (source) => {
    await build('pipe')
    write('.next/cache/kept', '')
    write('app/page.tsx', source)
    await expect(build('pipe')).rejects.toThrow('The previous build is kept.')
    expect(built()).toBe('goodgood')
    expect(existsSync('.next/cache/kept')).toBe(true)
    write('app/page.tsx', 'good')
    expect(await ensured()).toEqual([])
  })

  it('that is killed at any moment is repeated, and no half of one is taken for a build', async () => {
    await build('pipe')
    let isDone = false
    for (let changes = 0; !isDone; changes++) {
      life.changesLeft = changes
      isDone = await build('pipe').then(
        () => true,
        () => false,
      )
      // Killed a second time, while the previous build is restored.
      life.changesLeft = isDone ? Infinity : 2
      await ensured().catch(() => {})
      life.changesLeft = Infinity
      await ensured()
      expect(built(), `killed after ${changes} changes`).toBe('goodgood')
    }
  })

  it('that fails prints its output', async () => {
    write('app/page.tsx', 'broken')
    await expect(build('pipe')).rejects.toThrow(/^The build failed\.\n[^]*it does not compile/)
  })
})
