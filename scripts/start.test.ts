import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'

let clone = ''
beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'clone-'))
  for (const file of ['server.js', 'package.json', 'lib/platform/environment.js', 'lib/platform/journal.js'])
    cpSync(file, join(clone, file))
})
afterEach(() => rmSync(clone, { recursive: true, force: true }))

/** The script that `npm start` runs. */
function start(): { status: number | null; text: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['server.js'], { cwd: clone, encoding: 'utf8' })
  return { status, text: stdout + stderr }
}

it('npm start without packages names the commands to run', () => {
  expect(start()).toEqual({
    status: 1,
    text: 'The packages are not installed. Run `npm run demo` for a sandbox, or `npm ci` and `npm run build` for a server.\n',
  })
})

it('npm start without a build names the command to run', () => {
  mkdirSync(join(clone, 'node_modules', 'next'), { recursive: true })
  writeFileSync(join(clone, 'node_modules', 'next', 'package.json'), '{}')
  expect(start()).toEqual({ status: 1, text: 'There is no build yet. Run `npm run build` first.\n' })
})
