import { spawnSync, type ChildProcess } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { homedir, setPriority } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { holderOfLock, lockFolder, type FolderLock } from '../../lib/platform/db/lock'
import { parseJson } from '../../lib/platform/parse-json'
import { runWork, sayWaiting } from '../../scripts/progress.mjs'

const LND = 'github.com/lightningnetwork/lnd'
const VERSION = 'v0.20.1-beta'
/** LND's own go.mod names it too, and its go.sum has the hashes of everything that it needs. */
const BTCD = 'github.com/btcsuite/btcd'
/** The first release of Go that fetches the exact release that a module asks for. */
const OLDEST_GO = { major: 1, minor: 21 }
const ASK_FOR_GO =
  'Real Lightning nodes are built with Go 1.21 or newer: install it (Debian 13 or newer: apt-get install golang-go).'
const LOOK_AGAIN_MS = 500
/** Below everything that a user waits for. */
const NICE = 10
const ENDING = process.platform === 'win32' ? '.exe' : ''

type Say = (line: string) => void
type OnStart = (child: ChildProcess) => void

/** The programs of a Lightning network: LND, and a Bitcoin node for its chain. */
export interface LndPrograms {
  readonly lnd: string
  readonly btcd: string
}

/** Outside the repository, so that every clone uses the same programs. */
function cacheFolder(env: NodeJS.ProcessEnv): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'uma-sandbox-vasp')
}

/** Where the programs are; undefined until `ensureLnd` has built them. */
export function findLnd(env: NodeJS.ProcessEnv = process.env): LndPrograms | undefined {
  const folder = join(cacheFolder(env), `lnd-${VERSION}`)
  if (!existsSync(folder)) return undefined
  return { lnd: join(folder, `lnd${ENDING}`), btcd: join(folder, `btcd${ENDING}`) }
}

/**
 * Builds LND and btcd from the Go module proxy, once for this computer. A second process waits for the first.
 * @throws Error with one line that says what to install, or with the output of the build.
 */
export async function ensureLnd(say: Say, onStart: OnStart = () => {}, env = process.env): Promise<LndPrograms> {
  const built = findLnd(env)
  if (built !== undefined) return built
  requireGo(env)
  const cache = cacheFolder(env)
  const lock = await lockBuild(join(cache, 'build'), say)
  try {
    if (findLnd(env) === undefined) await build(cache, say, onStart, env)
  } finally {
    lock.release()
  }
  const programs = findLnd(env)
  if (programs === undefined) throw new Error(`LND was built, and is not in ${cache}.`)
  return programs
}

/** @throws Error with one line. */
function requireGo(env: NodeJS.ProcessEnv): void {
  const { stdout } = spawnSync('go', ['version'], { env, encoding: 'utf8' })
  const [, major, minor] = /\bgo(\d+)\.(\d+)/.exec(stdout ?? '') ?? []
  if (major === undefined) throw new Error(ASK_FOR_GO)
  if (Number(major) === OLDEST_GO.major && Number(minor) < OLDEST_GO.minor)
    throw new Error(`${ASK_FOR_GO} This is Go ${major}.${minor}.`)
}

async function lockBuild(folder: string, say: Say): Promise<FolderLock> {
  let quiet: (() => void) | undefined
  try {
    for (;;) {
      try {
        return await lockFolder(folder)
      } catch (error) {
        const holder = holderOfLock(error)
        if (holder === undefined) throw error
        quiet ??= sayWaiting(say, `Waiting for process ${holder}, which builds LND`)
        await sleep(LOOK_AGAIN_MS)
      }
    }
  } finally {
    quiet?.()
  }
}

/** Complete or not at all: the folder gets its name when both programs are in it. */
async function build(cache: string, say: Say, onStart: OnStart, given: NodeJS.ProcessEnv): Promise<void> {
  // Debian's Go does not fetch newer releases of itself unless it is told to.
  const env = { ...given, GOTOOLCHAIN: given.GOTOOLCHAIN || 'auto', GOWORK: 'off', CGO_ENABLED: '0' }
  mkdirSync(cache, { recursive: true })
  const unfinished = mkdtempSync(join(cache, 'unfinished-'))
  const go = async (what: string, args: readonly string[]): Promise<string> => {
    const ended = await runWork({ what, command: 'go', args, env, output: 'pipe', say, onStart: politely(onStart) })
    if (ended.status === 0) return ended.output
    const why = ended.still ?? ended.output.trim()
    throw new Error(`LND ${VERSION} cannot be built: ${why}\nThe build needs the Go module proxy (GOPROXY).`)
  }
  try {
    say(`Building LND ${VERSION} and btcd, once for this computer (several minutes) …`)
    const told = await go('Downloading LND', ['mod', 'download', '-json', `${LND}@${VERSION}`])
    // Go also says what it downloads.
    const downloaded = parseJson(told.slice(told.indexOf('{'), told.lastIndexOf('}') + 1))
    const source = (downloaded as { readonly Dir?: unknown } | undefined)?.Dir
    if (typeof source !== 'string') throw new Error('`go mod download` does not say where LND is.')
    // Inside LND's own module, because `go install` refuses a module with `replace` lines.
    const options = ['-mod=readonly', '-trimpath', '-buildvcs=false', '-ldflags=-s -w', '-tags=invoicesrpc']
    await go('Building LND', ['build', '-C', source, ...options, '-o', join(unfinished, '/'), `${LND}/cmd/lnd`, BTCD])
    renameSync(unfinished, join(cache, `lnd-${VERSION}`))
  } finally {
    rmSync(unfinished, { recursive: true, force: true })
  }
}

function politely(onStart: OnStart): OnStart {
  return (child) => {
    try {
      if (child.pid !== undefined) setPriority(child.pid, NICE)
    } catch {
      // It runs at the usual priority.
    }
    onStart(child)
  }
}
