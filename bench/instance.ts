import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { newKeyPair, newNodeSecret } from '../test/vasp/keys'

/** What the instances of a VASP share: its keys and its name. */
export interface Identity {
  readonly pair: ReturnType<typeof newKeyPair>
  readonly nodeSecretHex: string
  readonly domain: string
  readonly publicOrigin: string
}

export interface Instance {
  readonly port: number
  readonly pid: number
  /** Until the awaited page answered 200. */
  readonly startMs: number
  /** Resolves when the process has ended. */
  readonly ended: Promise<unknown>
  /** Kills the process, as in a crash. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const START_PATIENCE_MS = 3 * 60_000
/** A server that does not end by then is killed. */
const STOP_PATIENCE_MS = 30_000

/** The processes that run. They end with this one, also after an interrupt and when they hang. */
const running = new Map<ChildProcess, string>()
process.once('exit', () => {
  for (const [child, folder] of running) {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
})

export function newIdentity(port: number): Identity {
  const domain = `localhost:${port}`
  return { pair: newKeyPair(), nodeSecretHex: newNodeSecret(), domain, publicOrigin: `http://${domain}` }
}

/** The settings of an identity. The rate limits of tokens are off, because otherwise the bench would measure the limits. */
export function identityEnv(identity: Identity): Record<string, string> {
  return {
    VASP_DOMAIN: identity.domain,
    NEXTAUTH_URL: identity.publicOrigin,
    NEXTAUTH_SECRET: 'a secret of thirty-two characters',
    JWT_PRIVATE_KEY: identity.pair.privatePem,
    JWT_PUBLIC_KEY: identity.pair.publicPem,
    LIGHTNING_NODE_KEY: identity.nodeSecretHex,
    RATE_LIMITS: 'off',
  }
}

export function startInstance(
  identity: Identity,
  port: number,
  extra: Readonly<Record<string, string>>,
): Promise<Instance> {
  return startServer('.', port, { ...identityEnv(identity), ...extra })
}

/**
 * Starts the production build in `root` as its `npm start` does, and waits for a page. Its log goes to a file, as under a service
 * manager.
 */
export async function startServer(
  root: string,
  port: number,
  settings: Readonly<Record<string, string>>,
  awaited = '/-/alive',
): Promise<Instance> {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-bench-'))
  const logFile = join(folder, 'log')
  const log = openSync(logFile, 'a')
  const { DATABASE_URL: _database, DATA_DIR: _folder, PORT: _port, ...inherited } = process.env
  const start = startScript(root)
  const startedAt = performance.now()
  const child = spawn(process.execPath, ['--import', resolve('sandbox/shared/tied-to-parent.mjs'), ...start.args], {
    cwd: root,
    env: {
      ...inherited,
      ...start.env,
      NODE_ENV: 'production',
      NEXT_TELEMETRY_DISABLED: '1',
      PORT: String(port),
      DATA_DIR: folder,
      ...settings,
    },
    stdio: ['ignore', log, log, 'ipc'],
  })
  closeSync(log)
  running.set(child, folder)
  const ended = once(child, 'exit')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal)
      const killed = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS)
      await ended
      clearTimeout(killed)
    }
    running.delete(child)
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await untilReady(child, `http://127.0.0.1:${port}${awaited}`, logFile)
  } catch (error) {
    await end('SIGKILL')
    throw error
  }
  const startMs = performance.now() - startedAt
  return { port, pid: child.pid ?? 0, startMs, ended, kill: () => end('SIGKILL'), stop: () => end('SIGTERM') }
}

async function untilReady(child: ChildProcess, url: string, logFile: string): Promise<void> {
  const deadline = Date.now() + START_PATIENCE_MS
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch(() => undefined)
    if (answer?.status === 200) return
    if (child.exitCode !== null || Date.now() > deadline)
      throw new Error(`the server did not start:\n${readFileSync(logFile, 'utf8').slice(-2_000)}`)
    await sleep(50)
  }
}

/**
 * What `npm start` sets. For Node: a young generation of half the usual size, which saves twenty megabytes, and an old one of at
 * most 512 MB, several times what five times the sustainable load needs. With a limit of gigabytes, V8 collects so late that the
 * same load takes a hundred megabytes more. For glibc: fewer heaps for its threads, because each heap keeps the most memory that
 * it ever needed.
 */
function startScript(root: string): {
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
} {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { start: string } }
  const [settings = '', args = ''] = scripts.start.split(/\bnode /)
  return {
    args: args.split(' '),
    env: Object.fromEntries(settings.split(' ').flatMap((each) => (each.includes('=') ? [each.split('=')] : []))),
  }
}
