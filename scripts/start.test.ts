import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

let clone = ''
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'clone-'))
  for (const file of ['server.js', 'package.json', 'lib/platform/environment.js']) cpSync(file, join(clone, file))
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

/** What `npm start` runs. */
function start(): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['server.js'], { cwd: clone, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

it('a start without packages says so in one sentence', () => {
  expect(start()).toEqual({
    status: 1,
    text: 'The packages are not installed: run `npm run build` first, which installs them.\n',
  })
})

it('a start without a build says so in one sentence', () => {
  mkdirSync(join(clone, 'node_modules', 'next'), { recursive: true })
  writeFileSync(join(clone, 'node_modules', 'next', 'package.json'), '{}')
  expect(start()).toEqual({ status: 1, text: 'There is no build yet: run `npm run build` first.\n' })
})
