import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import manifest from '../package.json' with { type: 'json' }

const run = promisify(execFile)
const PACKAGE = fileURLToPath(new URL('..', import.meta.url))
const MODULES = fileURLToPath(new URL('../../../node_modules', import.meta.url))

let folder: string
const installed = (...path: readonly string[]): string =>
  join(folder, 'user', 'node_modules', 'uma-auth-conformance', ...path)

/** Packs a copy of the package, with its own build, and installs it beside links to its dependencies. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'uma-auth-conformance-'))
  const copy = join(folder, 'copy')
  await cp(PACKAGE, copy, { recursive: true, filter: (from) => !/\/(dist|node_modules)$/.test(from) })
  await symlink(MODULES, join(folder, 'node_modules'))
  const options = ['--json', '--silent', '--offline', '--ignore-scripts=false', '--pack-destination', folder]
  const { stdout } = await run('npm', ['pack', ...options], { cwd: copy })
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as [{ filename: string }]
  await mkdir(installed(), { recursive: true })
  await run('tar', ['-xzf', join(folder, packed.filename), '-C', installed(), '--strip-components', '1'])
  for (const name of Object.keys(manifest.dependencies))
    await symlink(join(MODULES, name), join(folder, 'user', 'node_modules', name))
  await writeFile(join(folder, 'user', 'package.json'), '{ "type": "module" }')
})

afterAll(() => rm(folder, { recursive: true, force: true }))

describe('the tarball of npm pack', () => {
  it('holds the build with types, the license and the README, and no sources or tests', async () => {
    const files = await readdir(installed(), { recursive: true })
    for (const file of ['LICENSE', 'README.md', 'dist/index.js', 'dist/index.d.ts', 'dist/main.js'])
      expect(files).toContain(file)
    expect(files.filter((name) => /\.test\.|^src|^test|(?<!\.d)\.ts$/.test(name))).toEqual([])
  })

  it('depends on zod alone', () => {
    expect(Object.keys(manifest.dependencies)).toEqual(['zod'])
  })

  it('lists and explains its cases on the command line', async () => {
    const main = installed(manifest.bin['uma-auth-conformance'])
    expect(await readFile(main, 'utf8')).toMatch(/^#!\/usr\/bin\/env node\n/)
    const { stdout: list } = await run(process.execPath, [main, '--list', '--only', 'exchange'])
    expect(list).toMatch(/^exchange\.token +must +exchanges a login token for a connection token$/m)
    const { stdout: explained } = await run(process.execPath, [main, '--explain', 'exchange.token-before-permissions'])
    expect(explained).toContain(
      'Order of checks in the token exchange: JWT first, then user, then permissions, then signing key.',
    )
  })

  it('runs as a library', async () => {
    const program = `
      import { CASES, resolveTarget, runConformance, summaryOf } from 'uma-auth-conformance'
      const target = resolveTarget({ vasp: 'http://localhost:1' })
      const options = { target, cases: CASES, signIn: undefined, payments: false, uma: false, paymentSeconds: 1 }
      const report = await runConformance(options)
      console.log(JSON.stringify([report.results.length === CASES.length, summaryOf(report).passed]))
    `
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], {
      cwd: join(folder, 'user'),
    })
    expect(JSON.parse(stdout)).toEqual([true, false])
  })
})
