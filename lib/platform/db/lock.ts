import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { resolve as absolute, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startError } from '../start-error'

export interface FolderLock {
  release(): void
}

const PATIENCE_MS = 5_000
const ANSWER_MS = 1_000
const TIMES_TO_KNOW_AN_OWNER = 3
/** Socket paths have at most 103 bytes on macOS and 107 on Linux; longer ones are truncated without an error. */
const MAX_PATH_BYTES = 103

/**
 * Locks a folder for this process. The lock is a listening Unix socket: the kernel closes it however the process ends,
 * so there are no stale locks, no reused process ids and nothing to clean up after `kill -9`. Two processes on one
 * embedded database would lose commits without an error.
 * @throws Error named StartError that names the holder; `holderOfLock` returns its process id.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const locks = absolute(folder, 'lock')
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    mkdirSync(locks, { recursive: true })
  } catch (error) {
    throw startError(
      `${folder} cannot be created (${codeOf(error)}): set a DATA_DIR that this user may write to.`,
      error,
    )
  }
  const deadline = Date.now() + PATIENCE_MS
  let met: string | undefined
  let timesMet = 0
  for (;;) {
    const attempt = await tryLock(locks)
    if (typeof attempt === 'object') return attempt
    // Two processes that start together may both give up and retry with a new socket. A process that holds the lock
    // keeps its socket.
    timesMet = attempt === met ? timesMet + 1 : 1
    met = attempt
    if (timesMet >= TIMES_TO_KNOW_AN_OWNER || Date.now() > deadline) {
      const holder = attempt.split('-')[0] ?? ''
      throw Object.assign(
        startError(
          `${absolute(folder)} is in use by process ${holder}: stop that process first, or set another DATA_DIR or a DATABASE_URL.`,
        ),
        { holder },
      )
    }
    await sleep(100 + Math.random() * 300)
  }
}

/** The process id in a refusal by `lockFolder`; undefined for any other error. */
export function holderOfLock(error: unknown): string | undefined {
  return error instanceof Error ? (error as { holder?: string }).holder : undefined
}

/** The lock, or the file name of the holder's socket. */
async function tryLock(locks: string): Promise<FolderLock | string> {
  const name = `${process.pid}-${randomBytes(4).toString('hex')}.sock`
  const own = join(locks, name)
  const server = await listen(own)
  try {
    for (const other of readdirSync(locks)) {
      if (other === name || !other.endsWith('.sock')) continue
      if (await answers(join(locks, other))) return giveUp(server, other)
      rmSync(join(locks, other), { force: true })
    }
    // Another process may have tried this socket before this process listened on it, and removed it as stale.
    if (!existsSync(own)) return giveUp(server, 'unknown-starter')
  } catch (error) {
    server.close()
    throw error
  }
  return { release: () => void server.close() }
}

function giveUp(server: Server, holder: string): string {
  server.close()
  return holder
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  server.unref()
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(startError(`${path} cannot be a lock (${codeOf(error)}): set a DATA_DIR on a local file system.`, error)),
    )
    server.listen(socketPath(path), () => resolve(server))
  })
}

/**
 * The shorter of the absolute and the relative path of a file. A path truncated by the system would be another file, which
 * no other process checks.
 */
function socketPath(path: string): string {
  const fromHere = relative(process.cwd(), path)
  const shorter = fromHere.length < path.length ? fromHere : path
  if (Buffer.byteLength(shorter) <= MAX_PATH_BYTES) return shorter
  throw startError(`${path} is too long a path for a lock: set a shorter DATA_DIR.`)
}

function codeOf(error: unknown): string {
  return String((error as { code?: unknown }).code ?? error)
}

/** Whether a running process listens on the socket. The kernel accepts connections for a stopped or busy process too. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(socketPath(path))
    const done = (alive: boolean): void => {
      socket.destroy()
      resolve(alive)
    }
    socket.setTimeout(ANSWER_MS, () => done(true))
    socket.once('connect', () => done(true))
    socket.once('error', (error: NodeJS.ErrnoException) =>
      done(error.code !== 'ECONNREFUSED' && error.code !== 'ENOENT'),
    )
  })
}
