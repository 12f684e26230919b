import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { join, relative } from 'node:path'
import { startError } from '../start-error'

export interface FolderLock {
  release(): void
}

const PATIENCE_MS = 5_000
const ANSWER_MS = 1_000

/**
 * Holds a folder for this process alone. The lock is a listening Unix socket: the kernel drops it however the process
 * ends, so there is no stale time, no reuse of process ids and nothing to clean up after `kill -9`. Two processes on one
 * embedded database would lose commits without an error.
 * @throws Error named StartError that names the holder.
 */
export async function lockFolder(folder: string): Promise<FolderLock> {
  const locks = join(folder, 'lock')
  mkdirSync(locks, { recursive: true })
  const deadline = Date.now() + PATIENCE_MS
  for (;;) {
    const attempt = await tryLock(locks)
    if (typeof attempt === 'object') return attempt
    // Two that start together may both step back; one that has been there for a while is an owner.
    if (Date.now() > deadline || isOlder(locks, attempt)) {
      throw startError(
        `${folder} is in use by process ${attempt}: stop that one first, or set another DATA_DIR or a DATABASE_URL.`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 100 + Math.random() * 300))
  }
}

const ownersSeen = new Map<string, number>()

/** True when this owner was met twice: a starter that steps back takes a new socket each time, an owner keeps his. */
function isOlder(locks: string, holder: string): boolean {
  const key = `${locks}:${socketsOf(locks, holder).join()}`
  const seen = (ownersSeen.get(key) ?? 0) + 1
  ownersSeen.set(key, seen)
  return seen > 3
}

function socketsOf(locks: string, holder: string): string[] {
  return readdirSync(locks).filter((name) => name.startsWith(`${holder}-`))
}

/** The lock, or the process id of whoever holds it. */
async function tryLock(locks: string): Promise<FolderLock | string> {
  const name = `${process.pid}-${randomBytes(4).toString('hex')}.sock`
  // Socket paths hold about 100 bytes and longer ones are cut without an error, so the path is relative.
  const own = relative(process.cwd(), join(locks, name))
  const server = await listen(own)
  for (const other of readdirSync(locks)) {
    if (other === name || !other.endsWith('.sock')) continue
    if (await answers(relative(process.cwd(), join(locks, other)))) {
      server.close()
      return other.split('-')[0] ?? 'unknown'
    }
    rmSync(join(locks, other), { force: true })
  }
  if (existsSync(own)) return { release: () => void server.close() }
  server.close()
  throw startError(
    `${locks} cannot hold a lock (its path is too long, or its file system has no sockets): set a shorter DATA_DIR.`,
  )
}

function listen(path: string): Promise<Server> {
  const server = createServer((socket) => socket.destroy())
  server.unref()
  return new Promise((resolve, reject) => {
    server.once('error', (error) =>
      reject(startError(`${path} cannot be made: set a DATA_DIR on a local file system.`, error)),
    )
    server.listen(path, () => resolve(server))
  })
}

/** Whether a living process listens there; one that is stopped or busy still has its connection accepted by the kernel. */
function answers(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path)
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
