import { spawn, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/**
 * Takes the place of npm: writes what it does to `log`, and ends when `go` exists. When it is told to stop, it removes the
 * installed packages before it ends, as npm does.
 */
const NPM = `#!/usr/bin/env node
const { appendFileSync, existsSync, mkdirSync, rmSync, writeFileSync } = require('node:fs')
const say = (line) => appendFileSync('log', line + '\\n')
let stopped = false
process.on('SIGTERM', () => { stopped = true; say('told to stop') })
say('began')
setInterval(() => {
  if (!existsSync('go')) return
  if (stopped) {
    rmSync('node_modules', { recursive: true, force: true })
    say('removed everything')
    process.exit(1)
  }
  mkdirSync('node_modules', { recursive: true })
  writeFileSync('node_modules/.package-lock.json', '{"packages":{}}')
  say('installed')
  process.exit(0)
}, 20)`

let clone: string
const started: ChildProcess[] = []

beforeEach(() => {
  clone = mkdtempSync(join(tmpdir(), 'ready-'))
  const files = ['ready', 'installed', 'process-table', 'progress'].map((name) => `scripts/${name}.mjs`)
  for (const file of [...files, 'sandbox/shared/tied-to-parent.mjs']) cpSync(file, join(clone, file))
  write('scripts/generate.mjs', `console.log('ready'); process.exit(0)`)
  write('package-lock.json', '{"packages":{}}')
  write('bin/npm', NPM, 0o755)
})

afterEach(() => {
  write('go', '')
  for (const child of started.splice(0)) child.kill('SIGKILL')
  rmSync(clone, { recursive: true, force: true, maxRetries: 5 })
})

function write(file: string, text: string, mode = 0o644): void {
  mkdirSync(dirname(join(clone, file)), { recursive: true })
  writeFileSync(join(clone, file), text, { mode })
}

const log = (): string[] =>
  existsSync(join(clone, 'log')) ? readFileSync(join(clone, 'log'), 'utf8').trim().split('\n') : []

/** Starts the demo of the clone, as far as its installation. */
function start() {
  const path = [join(clone, 'bin'), dirname(process.execPath), process.env.PATH].join(delimiter)
  const child = spawn(process.execPath, [resolve(clone, 'scripts/ready.mjs'), 'sandbox/demo/demo.ts'], {
    cwd: clone,
    env: { ...process.env, PATH: path },
  })
  started.push(child)
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk.toString()))
  const ended = new Promise<number | null>((done) => child.once('close', done))
  return { child, said: () => said, ended }
}

describe('the installation by `npm run demo`', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGKILL'] as const)(
    'that %s ended says nothing of a failure, and is repeated once its npm has ended',
    async (signal) => {
      const first = start()
      await expect.poll(log).toEqual(['began'])
      first.child.kill(signal)
      await expect.poll(log).toEqual(['began', 'told to stop'])
      const second = start()
      await expect.poll(second.said).toMatch(/^Waiting for the installation of process \d+ to end .*, 0 s so far\n/)
      write('go', '')
      expect(await second.ended).toBe(0)
      expect(log()).toEqual(['began', 'told to stop', 'removed everything', 'began', 'installed'])
      await first.ended
      expect(first.said()).toBe('Installing packages (about a minute the first time) …\n')
    },
  )

  it('happens once when two start', async () => {
    const first = start()
    await expect.poll(log).toEqual(['began'])
    const second = start()
    await expect.poll(second.said).toContain('Waiting for the installation of process')
    write('go', '')
    expect(await Promise.all([first.ended, second.ended])).toEqual([0, 0])
    expect(log()).toEqual(['began', 'installed'])
  })
})
