import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { partySteps } from './party-steps'
import { Unavailable } from './step'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'party-steps-'))
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(folder, { recursive: true, force: true })
})

it('the stage with VASPs on other SDKs is skipped where Python is missing, with one line that names the package', () => {
  vi.stubEnv('PATH', folder)
  const attempt = (): unknown => partySteps([], join(folder, 'cache'))
  expect(attempt).toThrow(Unavailable)
  expect(attempt).toThrow(
    /^The VASP on the Python SDK needs Python 3\.11 or later with venv: .*\(Debian: python3-venv\)\.$/,
  )
})
