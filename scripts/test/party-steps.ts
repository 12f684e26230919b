import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Unavailable, vitestStep, type Step } from './step'

const FETCH_PATIENCE_MS = 300_000
const FOLDER = join('test', 'parties', 'python')
/** The first is what the SDK's own source package is built with. */
const REQUIREMENTS = ['build-requirements.txt', 'requirements.txt'].map((file) => join(FOLDER, file))
const IMPORTS = ['-c', 'import uma']
const IS_WINDOWS = process.platform === 'win32'

/** Payments with VASPs on public UMA SDKs. @throws Unavailable when an SDK or its language is missing. */
export function partySteps(args: readonly string[] = [], cache = resolve('.cache', 'parties')): readonly Step[] {
  return [vitestStep('parties', { args, env: { PARTY_PYTHON: fetchPython(cache) } })]
}

/** The Python of an environment with the SDK: one for each content of the requirements, whose hashes pip checks. */
function fetchPython(cache: string): string {
  const digest = createHash('sha256')
  for (const file of REQUIREMENTS) digest.update(readFileSync(file))
  const folder = join(cache, `python-${digest.digest('hex').slice(0, 16)}`)
  const python = join(folder, ...(IS_WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python']))
  const complete = join(folder, 'complete')
  if (existsSync(complete) && runs(python, IMPORTS)) return python
  rmSync(folder, { recursive: true, force: true })
  if (!runs(IS_WINDOWS ? 'python' : 'python3', ['-m', 'venv', folder]))
    throw new Unavailable(
      'The VASP on the Python SDK needs Python 3.11 or later with venv: install it (Debian: python3-venv).',
    )
  const install = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps', '--no-build-isolation']
  for (const file of REQUIREMENTS)
    if (!runs(python, [...install, '--requirement', file]))
      throw new Unavailable(`The Python SDK for UMA cannot be fetched from PyPI: pip refused ${file}.`)
  if (!runs(python, IMPORTS))
    throw new Unavailable('The Python SDK for UMA does not run here: use Python 3.11 or later.')
  writeFileSync(complete, '')
  return python
}

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: FETCH_PATIENCE_MS }).status === 0
}
