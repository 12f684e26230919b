import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isFree } from '../../sandbox/shared/ports'
import { isAlive } from './is-alive'

/**
 * Below the range of ports for outgoing connections: the system may assign such a port before a server listens
 * on it.
 */
const FIRST = 20_000
const LAST = 32_000
/** One file for each assigned port, with its process, because several processes look for ports at once. */
const GIVEN = join(tmpdir(), 'vasp-test-ports')

const own: string[] = []
process.once('exit', () => {
  for (const file of own) rmSync(file, { force: true })
})

/** A free port for a process that is about to start. No other test gets it while this process lives. */
export async function freePort(): Promise<number> {
  mkdirSync(GIVEN, { recursive: true })
  for (;;) {
    const port = randomInt(FIRST, LAST)
    if (reserve(join(GIVEN, String(port))) && (await isFree(port, '127.0.0.1'))) return port
  }
}

function reserve(file: string): boolean {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' })
    own.push(file)
    return true
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error
    forgetIfKilled(file)
    return false
  }
}

function forgetIfKilled(file: string): void {
  try {
    if (!isAlive(Number(readFileSync(file, 'utf8')))) rmSync(file, { force: true })
  } catch (error) {
    // Its process has just ended and removed it.
    if (codeOf(error) !== 'ENOENT') throw error
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code
}
