import { execFile } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { preparedDataDir } from '@/test/databases/embedded'

const MAX_FILES = 40
const MAX_LINES = 300

// A separate process with unbundled sources, because the test runner's export getters would count as functions of each file.
it(`a payment inside this VASP runs code from at most ${MAX_FILES} files, none above ${MAX_LINES} lines`, async () => {
  const dataDir = await preparedDataDir()
  const args = ['--conditions=uma-auth-source', '--import', 'tsx', 'test/programs/one-request-process.ts', dataDir]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 60_000 })
  rmSync(dataDir, { recursive: true, force: true })
  const files = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as string[]
  expect(files).toContain('lib/payments/service.ts')
  expect(files.length, files.join('\n')).toBeLessThanOrEqual(MAX_FILES)
  expect(files.filter((path) => readFileSync(path, 'utf8').split('\n').length > MAX_LINES)).toEqual([])
}, 90_000)
