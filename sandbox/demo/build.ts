import { execFileSync, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BUILD_INFO_FILE, checkedBuildInfo } from '../../lib/platform/build-info'
import { parseJson } from '../../lib/platform/parse-json'
import { runWork } from '../../scripts/progress.mjs'

const BUILD = '.next'
const BUILT_FROM = join(BUILD, 'built-from')
/** The previous good build while a new one is created. */
const ASIDE = join('.cache', 'last-build')
/** In `ASIDE` when every entry of the previous build is there: what is left in `BUILD` belongs to the new one. */
const ALL_ASIDE = join(ASIDE, 'all-aside')
const TRASH = join('.cache', 'old-build')
/** Next's cache, and the files that `next dev` has open. */
const STAYS = ['cache', 'dev']
const SOURCES = [
  'app',
  'components',
  'lib',
  'packages/uma-auth-vasp/package.json',
  'packages/uma-auth-vasp/src',
  'public',
  'docs/connect-an-app.md',
  'docs/test-your-app.md',
  'scripts/markdown.mjs',
  'instrumentation.ts',
  'proxy.ts',
  'next.config.js',
  'postcss.config.mjs',
  'package-lock.json',
  'tsconfig.json',
  'prisma/schema.prisma',
  'sandbox/pairing',
]

type Say = (line: string) => void
type OnStart = (child: ChildProcess) => void

/** Builds the product unless the existing build has the same sources. `onStart` receives the process that builds. */
export async function ensureBuild(say: Say, onStart?: OnStart): Promise<void> {
  restoreLastBuild()
  const built = existsSync(join(BUILD, 'BUILD_ID')) && existsSync(BUILT_FROM) ? readFileSync(BUILT_FROM, 'utf8') : ''
  if (built === hashOfSources()) return
  say('Building (half a minute) …')
  await build('pipe', say, onStart)
}

/**
 * Builds the product. The previous build stays until the new one is complete, so that a mistake in the sources does not
 * leave `npm start` without a build. Whenever this process is killed, the next call starts from the previous build.
 * @throws Error with the output of the build, unless it was shown already.
 */
export async function build(output: 'inherit' | 'pipe', say: Say = () => {}, onStart?: OnStart): Promise<void> {
  restoreLastBuild()
  const builtFrom = hashOfSources()
  const buildInfo = checkedBuildInfo({ version: packageVersion(), commit: process.env.BUILD_COMMIT || gitCommit() })
  putAside()
  const ended = await runWork({
    what: 'Building',
    command: process.execPath,
    args: ['node_modules/next/dist/bin/next', 'build'],
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
    output,
    say,
    ...(onStart === undefined ? {} : { onStart }),
  })
  if (ended.status === 0) {
    writeFileSync(BUILD_INFO_FILE, JSON.stringify(buildInfo))
    writeFileSync(BUILT_FROM, builtFrom)
    // In one step: a part of the previous build must not be taken for all of it.
    if (existsSync(ASIDE)) renameSync(ASIDE, TRASH)
    rmSync(TRASH, { recursive: true, force: true })
    return
  }
  const kept = restoreLastBuild() ? ' The previous build is kept.' : ''
  if (ended.still !== undefined)
    throw new Error(
      `The build stood still: ${ended.still}.${kept} A slow build is never given up, so another program suspended or blocks it, or this is a bug of Next. Start again: it builds again.`,
    )
  if (ended.signal !== null)
    throw new Error(`The build was ended by ${ended.signal}.${kept} Start again: it builds again.`)
  throw new Error(`The build failed.${kept}${output === 'pipe' ? `\n${ended.output}` : ''}`)
}

function packageVersion(): unknown {
  const text = existsSync('package.json') ? readFileSync('package.json', 'utf8') : ''
  return (parseJson(text) as { readonly version?: unknown } | undefined)?.version
}

/** Undefined without git, and in a folder of another repository. */
function gitCommit(): string | undefined {
  const git = (...args: string[]): string =>
    execFileSync('git', args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim()
  try {
    if (git('rev-parse', '--show-cdup') !== '') return undefined
    return git('describe', '--always', '--dirty', '--abbrev=40', '--exclude=*')
  } catch {
    return undefined
  }
}

function putAside(): void {
  // An unfinished build is overwritten.
  if (!existsSync(BUILT_FROM)) return
  rmSync(TRASH, { recursive: true, force: true })
  mkdirSync(ASIDE, { recursive: true })
  moveEntries(BUILD, ASIDE)
  writeFileSync(ALL_ASIDE, '')
}

/** Restores the previous build after one that failed or was killed. False when there is none. */
function restoreLastBuild(): boolean {
  if (!existsSync(ASIDE)) return false
  if (existsSync(ALL_ASIDE)) {
    for (const name of entriesOf(BUILD)) rmSync(join(BUILD, name), { recursive: true, force: true })
    rmSync(ALL_ASIDE)
  }
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

export function hashOfSources(): string {
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
