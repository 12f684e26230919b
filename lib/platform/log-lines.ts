import { write, writeSync } from 'node:fs'

/**
 * Lines are gathered and written together: a write for each was a twentieth of what the cheapest call costs. In
 * characters and milliseconds; a process that is killed loses that much of its log.
 */
const GATHERED = 8_192
const FLUSH_MS = 100
/** Of lines that nobody reads, in characters: a stalled reader must not fill the memory. Beyond it they are lost, and counted. */
const MOST_GATHERED = 4 * 1024 * 1024
/** For a reader that is slow when the process ends; one that is gone is not waited for. */
const EXIT_MS = 1_000
const EXIT_RETRY_MS = 10

const NOTHING = Buffer.alloc(0)

export interface LogLines {
  write(line: string): void
  /** Writes what is there without waiting for more. */
  flush(): void
}

/**
 * A log's way out of the process, which it neither holds up nor outlives: when the reader stalls or the disk is full, lines
 * are kept up to a limit and lost beyond it; when the reader is gone, all are. What is left is written when the process
 * ends. Not pino's own destination: that one tries its last lines for ever, so that a server whose log broke could not be
 * stopped, and a full disk ends its process. `readAgain` hears how many lines were lost, once they are taken again.
 */
export function openLogLines(fd: number, readAgain: (lost: number) => void): LogLines {
  let gathered = ''
  let rest = NOTHING
  let state: 'idle' | 'writing' | 'stalled' | 'gone' = 'idle'
  let lost = 0

  function flush(): void {
    if (state !== 'idle') return
    takeGathered()
    if (rest.length === 0) return
    state = 'writing'
    write(fd, rest, (error, written) => {
      state = 'idle'
      if (error !== null) return fail(error)
      rest = rest.subarray(written)
      if (rest.length > 0 || gathered.length >= GATHERED) return flush()
      if (lost === 0) return
      const count = lost
      lost = 0
      readAgain(count)
    })
  }

  function takeGathered(): void {
    if (rest.length > 0) return
    rest = Buffer.from(gathered)
    gathered = ''
  }

  function fail(error: NodeJS.ErrnoException): void {
    if (error.code === 'EPIPE') {
      state = 'gone'
      gathered = ''
      return
    }
    // A reader who stalls, or a disk that is full: either may change.
    state = 'stalled'
    setTimeout(() => {
      state = 'idle'
      flush()
    }, FLUSH_MS).unref()
  }

  setInterval(flush, FLUSH_MS).unref()
  process.once('exit', () => {
    const begun = state === 'writing' ? NOTHING : rest
    if (state !== 'gone') writeWithin(fd, Buffer.concat([begun, Buffer.from(gathered)]), EXIT_MS)
  })

  return {
    write(line) {
      if (state === 'gone') return
      if (gathered.length + line.length > MOST_GATHERED) {
        lost += 1
        return
      }
      gathered += line
      if (gathered.length >= GATHERED) flush()
    },
    flush,
  }
}

/** As much as the reader takes in that time; nothing where there is none. */
function writeWithin(fd: number, bytes: Buffer, patienceMs: number): void {
  const deadline = Date.now() + patienceMs
  let rest = bytes
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(fd, rest))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || Date.now() > deadline) return
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, EXIT_RETRY_MS)
    }
  }
}
