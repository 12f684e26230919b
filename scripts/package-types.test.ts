import { execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { afterAll, expect, it } from 'vitest'

const FOLDER = '.cache/package-types'

/** What the compiler prints; nothing when it finds no fault. */
function tsc(...flags: string[]): string {
  try {
    return execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', ...flags], { encoding: 'utf8' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

afterAll(() => rmSync(FOLDER, { recursive: true, force: true }))

it('emits declarations of uma-auth-vasp that hold without skipLibCheck', () => {
  expect(tsc('-p', 'packages/uma-auth-vasp', '--outDir', FOLDER)).toBe('')
  const files = ['index', 'openapi', 'adapters/fetch', 'adapters/node-http'].map((name) => `${FOLDER}/${name}.d.ts`)
  const options = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2022', '--types', 'node']
  const modules = ['--module', 'nodenext', '--moduleResolution', 'nodenext']
  expect(tsc(...options, ...modules, '--lib', 'es2023,dom,dom.iterable', ...files)).toBe('')
})
