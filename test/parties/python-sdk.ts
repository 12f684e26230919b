import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const FETCH_PATIENCE_MS = 300_000
const FOLDER = join('test', 'parties', 'python')
/** The first is what the SDK's own source package is built with. */
const REQUIREMENTS = ['build-requirements.txt', 'requirements.txt'].map((file) => join(FOLDER, file))
const IMPORTS = ['-c', 'import uma']
const IS_WINDOWS = process.platform === 'win32'
const CACHE = resolve('.cache', 'parties')

/** An environment for each content of the requirements, whose hashes pip checks. */
function folderIn(cache: string): string {
  const digest = createHash('sha256')
  for (const file of REQUIREMENTS) digest.update(readFileSync(file))
  return join(cache, `python-${digest.digest('hex').slice(0, 16)}`)
}

/** The Python with the SDK, after `missingPythonSdk` has fetched it. */
export function partyPython(cache = CACHE): string {
  return join(folderIn(cache), ...(IS_WINDOWS ? ['Scripts', 'python.exe'] : ['bin', 'python']))
}

/** Fetches the Python SDK for UMA. Returns one line when it or Python is missing. */
export function missingPythonSdk(cache = CACHE): string | undefined {
  const [folder, python] = [folderIn(cache), partyPython(cache)]
  const complete = join(folder, 'complete')
  if (existsSync(complete) && runs(python, IMPORTS)) return undefined
  rmSync(folder, { recursive: true, force: true })
  if (!runs(IS_WINDOWS ? 'python' : 'python3', ['-m', 'venv', folder]))
    return 'The VASP on the Python SDK needs Python 3.11 or later with venv: install it (Debian: python3-venv).'
  const install = ['-m', 'pip', 'install', '--quiet', '--require-hashes', '--no-deps', '--no-build-isolation']
  const refused = REQUIREMENTS.find((file) => !runs(python, [...install, '--requirement', file]))
  if (refused !== undefined) return `The Python SDK for UMA cannot be fetched from PyPI: pip refused ${refused}.`
  if (!runs(python, IMPORTS)) return 'The Python SDK for UMA does not run here: use Python 3.11 or later.'
  writeFileSync(complete, '')
  return undefined
}

function runs(program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore', timeout: FETCH_PATIENCE_MS }).status === 0
}
