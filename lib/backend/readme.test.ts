import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from 'uma-auth-vasp'

const readme = readFileSync('README.md', 'utf8')
const rowsOf = (heading: string): string[][] =>
  (readme.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '')
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    )

describe('the README', () => {
  it('lists the commands as the table of commands has them', () => {
    const rows = rowsOf('Endpoints').filter(([first]) => COMMANDS.some(({ name }) => first === `\`${name}\``))
    expect(rows.map((row) => row.slice(0, 3))).toEqual(
      COMMANDS.map(({ name, method, path }) => [`\`${name}\``, `\`${method} ${path}\``, 'implemented']),
    )
  })

  it('names source files that exist', () => {
    const files = rowsOf('Endpoints').flatMap((row) =>
      [...(row.at(-1) ?? '').matchAll(/`([^`]+)`/g)].map(([, file]) => file ?? ''),
    )
    expect(files.length).toBeGreaterThan(5)
    for (const file of files) expect(existsSync(file), file).toBe(true)
  })

  it('lists exactly the settings that are read, and so does .env.example', () => {
    const read: string[] = [...readFileSync('lib/platform/config.ts', 'utf8').matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(
      ([, name]) => name ?? '',
    )
    const inSchema = [...new Set(read)].toSorted()
    expect(
      rowsOf('Settings')
        .map(([name]) => (name ?? '').replaceAll('`', ''))
        .toSorted(),
    ).toEqual(inSchema)
    const example = [...readFileSync('.env.example', 'utf8').matchAll(/^([A-Z_]+)=/gm)].map(([, name]) => name ?? '')
    expect(example.toSorted()).toEqual(inSchema)
  })

  it('names commands that package.json has', () => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const named = [...readme.matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(([, name]) => name ?? '')
    for (const name of named) expect(Object.keys(scripts)).toContain(name)
  })

  it('shows the ratios that were measured', () => {
    const block = (text: string): string => /<!-- ratios -->([^]*)<!-- \/ratios -->/.exec(text)?.[1]?.trim() ?? ''
    const measured = block(readFileSync('docs/benchmarks.md', 'utf8'))
    expect(measured).toMatch(/reached/)
    expect(block(readme)).toBe(measured)
  })

  it('shows pictures that exist', () => {
    for (const [, file] of readme.matchAll(/!\[[^\]]*\]\(([^)]+)\)/g)) expect(existsSync(file ?? ''), file).toBe(true)
  })
})
