import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

export const CACHE = join('.cache', 'bench')
const LOCK = 'package-lock.json'
/** Written when the copy is complete. */
const COMPLETE = '.bench-built'
const NPM = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
const MAX_MS = 15 * 60_000

/**
 * A built copy of another commit under `.cache/bench`, which is kept for the next comparison.
 * @throws Error when the name is not a commit, or it cannot be built.
 */
export function checkOut(commit: string, say: (line: string) => void): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${commit}^{commit}`], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${commit} is not a commit of this repository.`)
  const sha = stdout.trim()
  const folder = resolve(CACHE, sha)
  if (existsSync(join(folder, COMPLETE))) return folder
  say(`Installing and building ${sha.slice(0, 7)} (some minutes) …`)
  rmSync(folder, { recursive: true, force: true })
  execFileSync('git', ['clone', '--quiet', '--shared', '--no-checkout', '.', folder])
  execFileSync('git', ['-C', folder, 'checkout', '--quiet', '--detach', sha])
  install(folder)
  run(folder, 'npm', ['run', 'build'])
  writeFileSync(join(folder, COMPLETE), '')
  return folder
}

/** Uses hard links if the packages are the same: they take a second and no space. */
function install(folder: string): void {
  if (readFileSync(join(folder, LOCK), 'utf8') === readFileSync(LOCK, 'utf8')) {
    run('.', 'cp', ['-al', 'node_modules', join(folder, 'node_modules')])
    return
  }
  try {
    run(folder, 'npm', ['ci', ...NPM])
  } catch {
    // The lock file of an old commit may lack packages of other platforms, which a newer npm refuses.
    run(folder, 'npm', ['install', '--no-save', ...NPM])
  }
}

function run(cwd: string, command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8', timeout: MAX_MS })
  if (status !== 0) throw new Error(`\`${command} ${args.join(' ')}\` failed in ${cwd}:\n${stdout}\n${stderr}`)
}
