import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scriptPath } from '@/test/programs/script'
import { COMMANDS, PLAIN_COMMANDS } from './commands'
import { helpOf } from './options'

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }

/** The TypeScript file that an npm script starts. */
const fileOf = (name: string): string => /\S+\.ts$/.exec(scripts[name] ?? '')?.[0] ?? ''

function run(name: string, option: string): { status: number | null; out: string; err: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [scriptPath(fileOf(name)), option], {
    encoding: 'utf8',
  })
  return { status, out: stdout, err: stderr }
}

describe('the catalogue of commands', () => {
  it('has every npm script, each once', () => {
    expect([...Object.keys(COMMANDS), ...Object.keys(PLAIN_COMMANDS)].toSorted()).toEqual(
      Object.keys(scripts).toSorted(),
    )
  })
})

describe.each(Object.entries(COMMANDS))('npm run %s', (name, command) => {
  it('prints usage, one sentence, options and examples for --help, and starts nothing', () => {
    const { status, out, err } = run(name, '--help')
    expect({ status, out, err }).toEqual({ status: 0, out: `${helpOf(command)}\n`, err: '' })
    expect(out).toMatch(/^Usage: npm (run |test)[^\n]+\n\n[^\n]+\.\n\nOptions\n[^]+\n\nExamples\n( {2}\S[^\n]+\n)+$/)
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })

  it('refuses an unknown option in one line, with exit code 2', () => {
    const { status, out, err } = run(name, '--no-such-option')
    expect({ status, out }).toEqual({ status: 2, out: '' })
    expect(err).toMatch(/^Unknown option '--no-such-option'\. For help, run: npm [^\n]+ -- --help\n$/)
  })
})
