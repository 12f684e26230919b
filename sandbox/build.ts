import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const BUILD = '.next'
const BUILT_FROM = join(BUILD, 'built-from')
/** The previous good build while a new one is created. */
const ASIDE = join('.cache', 'last-build')
/** Next's cache, and the files that `next dev` has open. */
const STAYS = ['cache', 'dev']
const SOURCES = [
  'app',
  'components',
  'lib',
  'packages/uma-auth-vasp/src',
  'public',
  'instrumentation.ts',
  'proxy.ts',
  'next.config.js',
  'postcss.config.mjs',
  'package-lock.json',
  'tsconfig.json',
  'prisma/schema.prisma',
]

/** Builds the product unless the existing build has the same sources. */
export function ensureBuild(say: (line: string) => void): void {
  restoreLastBuild()
  const built = existsSync(join(BUILD, 'BUILD_ID')) && existsSync(BUILT_FROM) ? readFileSync(BUILT_FROM, 'utf8') : ''
  if (built === hashOfSources()) return
  say('Building (half a minute) …')
  build('pipe')
}

/**
 * Builds the product. The previous build stays until the new one is complete, so that a mistake in the sources does not
 * leave `npm start` without a build.
 * @throws Error with the output of the build, unless it was shown already.
 */
export function build(output: 'inherit' | 'pipe'): void {
  restoreLastBuild()
  const builtFrom = hashOfSources()
  putAside()
  const { status, signal, stdout, stderr } = spawnSync(process.execPath, ['node_modules/next/dist/bin/next', 'build'], {
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    stdio: ['ignore', output, output],
    encoding: 'utf8',
  })
  if (status === 0) {
    writeFileSync(BUILT_FROM, builtFrom)
    rmSync(ASIDE, { recursive: true, force: true })
    return
  }
  const kept = restoreLastBuild() ? ' The previous build is kept.' : ''
  if (signal !== null) throw new Error(`The build was ended by ${signal}.${kept}`)
  throw new Error(`The build failed.${kept}${output === 'pipe' ? `\n${stdout}\n${stderr}` : ''}`)
}

function putAside(): void {
  if (!existsSync(join(BUILD, 'BUILD_ID'))) return
  rmSync(ASIDE, { recursive: true, force: true })
  mkdirSync(ASIDE, { recursive: true })
  moveEntries(BUILD, ASIDE)
}

/** Restores the previous build after one that failed or was killed. False when there is none. */
function restoreLastBuild(): boolean {
  if (!existsSync(ASIDE)) return false
  for (const name of entriesOf(BUILD)) rmSync(join(BUILD, name), { recursive: true, force: true })
  moveEntries(ASIDE, BUILD)
  rmSync(ASIDE, { recursive: true, force: true })
  return true
}

function moveEntries(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const name of entriesOf(from)) renameSync(join(from, name), join(to, name))
}

function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).filter((name) => !STAYS.includes(name)) : []
}

function hashOfSources(): string {
  const hash = createHash('sha256')
  for (const file of SOURCES.filter(existsSync).flatMap(filesBelow)) {
    if (!/\.test\.tsx?$/.test(file)) hash.update(file).update(readFileSync(file))
  }
  return hash.digest('hex')
}

function filesBelow(path: string): string[] {
  if (!statSync(path).isDirectory()) return [path]
  return readdirSync(path)
    .toSorted()
    .flatMap((name) => filesBelow(join(path, name)))
}
