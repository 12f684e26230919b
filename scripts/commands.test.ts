import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { scriptPath } from '@/test/programs/script'
import { COMMANDS, PLAIN_COMMANDS } from './commands'
import { AUDIT } from './operator-options'
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

it('--help prints the help text, and starts nothing', () => {
  expect(run('audit', '--help')).toEqual({ status: 0, out: `${helpOf(AUDIT)}\n`, err: '' })
})

describe.each(Object.entries(COMMANDS))('npm run %s', (name, command) => {
  it('has a help text with usage, one sentence, options and examples', () => {
    const text = helpOf(command)
    expect(text).toMatch(/^Usage: npm (run |test)[^\n]+\n\n[^\n]+\.\n\nOptions\n[^]+\n\nExamples(\n {2}\S[^\n]+)+$/)
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(120)
  })

  // One function reads the options of all commands and knows their help texts: here it gets the command's own.
  it('refuses an unknown option in one line, with exit code 2', () => {
    const { status, out, err } = run(name, '--no-such-option')
    expect({ status, out }).toEqual({ status: 2, out: '' })
    const [, hint] = /^Unknown option '--no-such-option'\. For help, run: (npm [^\n]+) -- --help\n$/.exec(err) ?? []
    expect(command.usage.replace(' --silent', '')).toContain(hint ?? 'a hint')
  })
})
