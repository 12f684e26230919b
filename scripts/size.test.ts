import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { scriptPath } from '@/test/programs/script'
import { MAY_IMPORT, SANDBOX_WING } from './import-table'

let clone = ''

const git = (...args: string[]): string =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=test@example.com', ...args], {
    cwd: clone,
    encoding: 'utf8',
  })

/** Commits files of as many lines as given, each after a blank line and a comment. */
function commit(files: Readonly<Record<string, number>>): void {
  for (const [file, lines] of Object.entries(files)) {
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    writeFileSync(
      join(clone, file),
      `\n/** A comment.\n * More. */\n  // And more.\n${'  run() // now\n'.repeat(lines)}`,
    )
  }
  git('add', '.')
  git('commit', '--quiet', '--message', 'more')
}

function size(cwd: string, ...args: string[]): { status: number | null; lines: string[]; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [resolve(scriptPath('scripts/size.ts')), ...args], {
    cwd,
    encoding: 'utf8',
  })
  return {
    status,
    err: stderr,
    lines: stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.replaceAll(/ +/g, ' ')),
  }
}

beforeAll(() => {
  clone = mkdtempSync(join(tmpdir(), 'size-'))
  git('init', '--quiet')
  commit({
    'packages/uma-auth-vasp/src/tokens.ts': 1,
    'packages/uma-auth-vasp/src/tokens.test.ts': 10_000,
    'packages/uma-auth-vasp/test/bank.ts': 20_000,
    'packages/uma-auth-conformance/src/cases/login.ts': 2,
    'lib/accounts/users.ts': 3,
    'app/sandbox-ln/[[...path]]/route.ts': 30,
    'server.js': 300,
    'app/(dashboard)/developers/wire/page.tsx': 4,
    'app/sandbox/route.test.ts': 40_000,
    'sandbox/shop/shop.ts': 5,
    'scripts/test/stages.ts': 6,
    'bench/run.ts': 60,
    'vitest.config.ts': 600,
    'examples/app.mjs': 7,
    'e2e/flows.spec.ts': 80_000,
    'e2e/support/page.ts': 90_000,
    'lib/platform/db/generated/client.ts': 5_000,
    'docs/page.md': 5_000,
  })
})
afterAll(() => rmSync(clone, { recursive: true, force: true }))

it('prints the lines of code of each part, and counts a test and its helpers nowhere else', () => {
  expect(size(clone)).toEqual({
    status: 0,
    err: '',
    lines: [
      'package 1',
      'kit 2',
      'bank 333',
      'sandbox wing 4',
      'simulators 5',
      'tools 666',
      'examples 7',
      'test helpers 110000',
      'tests 130000',
      'all 241018',
    ],
  })
})

it('prints the difference from another commit, and a folder that belongs to no part', () => {
  commit({ 'lib/accounts/users.ts': 1, 'sandbox/shop/shop.ts': 9, 'attic/old.js': 2 })
  expect(size(clone, '--against', 'HEAD~1').lines).toEqual([
    'other 0 → 2 +2',
    'package 1 → 1 +0',
    'kit 2 → 2 +0',
    'bank 333 → 331 -2',
    'sandbox wing 4 → 4 +0',
    'simulators 5 → 9 +4',
    'tools 666 → 666 +0',
    'examples 7 → 7 +0',
    'test helpers 110000 → 110000 +0',
    'tests 130000 → 130000 +0',
    'all 241018 → 241022 +4',
  ])
})

it('names a commit that the clone does not have', () => {
  expect(size(clone, '--against', 'no-such-commit')).toEqual({
    status: 2,
    lines: [''],
    err: 'no-such-commit cannot be read. Run this in a clone that has the commit. For help, run: npm run size -- --help\n',
  })
})

it('every file of code in this repository belongs to a part', () => {
  const { lines } = size(process.cwd())
  expect(lines).toHaveLength(10)
  expect(lines.filter((line) => line.startsWith('other'))).toEqual([])
})

it('the folders of the sandbox wing are those of the import table', () => {
  expect(SANDBOX_WING.filter((part) => MAY_IMPORT[part] === undefined)).toEqual([])
})
