import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FIXTURES } from './fixture-contract'

const FOLDER = join('.cache', 'bench')
const LOCK = 'package-lock.json'

/**
 * A built copy of another commit under `.cache/bench`. It is kept for the next comparison with the same commit; copies of other
 * commits are removed.
 * @throws Error when the name is not a commit, or the commit has none of `FIXTURES`.
 */
export function checkOut(commit: string, say: (line: string) => void): string {
  const sha = commitOf(commit)
  if (!FIXTURES.some((file) => hasFile(sha, file)))
    throw new Error(`${commit} has no bench/fixture.ts, so this bench cannot compare with it.`)
  const folder = resolve(FOLDER, sha)
  for (const name of existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    if (/^[0-9a-f]{40}$/.test(name) && name !== sha) rmSync(join(FOLDER, name), { recursive: true, force: true })
  if (!existsSync(join(folder, LOCK))) {
    say(`Checking out ${sha.slice(0, 7)} …`)
    rmSync(folder, { recursive: true, force: true })
    git('clone', '--quiet', '--shared', '--no-checkout', '.', folder)
    git('-C', folder, 'checkout', '--quiet', '--detach', sha)
  }
  install(folder, say)
  say(`Building ${sha.slice(0, 7)} …`)
  run(folder, process.execPath, ['scripts/ready.mjs', 'scripts/build.ts', '--if-changed'])
  return folder
}

function commitOf(name: string): string {
  const { status, stdout } = spawnSync('git', ['rev-parse', '--verify', '--quiet', `${name}^{commit}`], {
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${name} is not a commit of this repository.`)
  return stdout.trim()
}

function hasFile(sha: string, file: string): boolean {
  return spawnSync('git', ['cat-file', '-e', `${sha}:${file}`], { stdio: 'ignore' }).status === 0
}

/** Uses hard links if the packages are the same: they take a second and no space. */
function install(folder: string, say: (line: string) => void): void {
  if (existsSync(join(folder, 'node_modules'))) return
  if (readFileSync(join(folder, LOCK), 'utf8') === readFileSync(LOCK, 'utf8')) {
    run('.', 'cp', ['-al', 'node_modules', join(folder, 'node_modules')])
    return
  }
  say('Installing its packages …')
  run(folder, 'npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'])
}

function git(...args: readonly string[]): void {
  execFileSync('git', args, { stdio: ['ignore', 'ignore', 'inherit'] })
}

function run(cwd: string, command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { cwd, encoding: 'utf8' })
  if (status !== 0) throw new Error(`\`${command} ${args.join(' ')}\` failed in ${cwd}:\n${stdout}\n${stderr}`)
}
