import { write, writeSync } from 'node:fs'

/**
 * Lines are buffered and written together, because a separate write for each line would take a twentieth of the time
 * of the cheapest API call. Limits in characters and milliseconds. A process that is killed loses its buffered lines.
 */
const FLUSH_AT = 8_192
const FLUSH_MS = 100
/**
 * The limit, in characters, that keeps a stalled reader from filling the memory. Lines beyond the limit are dropped
 * and counted.
 */
const MAX_BUFFERED = 4 * 1024 * 1024
/** How long an ending process waits for a stalled reader. */
const EXIT_MS = 1_000
const EXIT_RETRY_MS = 10

const NOTHING = Buffer.alloc(0)

export interface LogLines {
  write(line: string): void
  /** Writes the buffered lines now. */
  flush(): void
}

/**
 * A log destination that never blocks or ends a running process. When the reader stalls or the disk is full, lines are
 * buffered up to a limit and dropped beyond it. When the reader is gone, all lines are dropped. Buffered lines are written at
 * exit, for at most `EXIT_MS`. Own code: pino's destination retries its last lines forever at exit, so that a server with a
 * broken log could not be stopped.
 * @param onResumed receives the number of dropped lines once lines are written again.
 */
export function openLogLines(fd: number, onResumed: (dropped: number) => void): LogLines {
  let buffered = ''
  let rest = NOTHING
  let state: 'idle' | 'writing' | 'stalled' | 'gone' = 'idle'
  let dropped = 0

  function flush(): void {
    if (state !== 'idle') return
    takeBuffered()
    if (rest.length === 0) return
    state = 'writing'
    write(fd, rest, (error, written) => {
      state = 'idle'
      if (error !== null) return fail(error)
      rest = rest.subarray(written)
      if (rest.length > 0 || buffered.length >= FLUSH_AT) return flush()
      if (dropped === 0) return
      const count = dropped
      dropped = 0
      onResumed(count)
    })
  }

  function takeBuffered(): void {
    if (rest.length > 0) return
    rest = Buffer.from(buffered)
    buffered = ''
  }

  function fail(error: NodeJS.ErrnoException): void {
    if (error.code === 'EPIPE') {
      state = 'gone'
      buffered = ''
      return
    }
    // A stalled reader or a full disk, which may recover.
    state = 'stalled'
    setTimeout(() => {
      state = 'idle'
      flush()
    }, FLUSH_MS).unref()
  }

  setInterval(flush, FLUSH_MS).unref()
  process.once('exit', () => {
    const begun = state === 'writing' ? NOTHING : rest
    if (state !== 'gone') writeWithin(fd, Buffer.concat([begun, Buffer.from(buffered)]), EXIT_MS)
  })

  return {
    write(line) {
      if (state === 'gone') return
      if (buffered.length + line.length > MAX_BUFFERED) {
        dropped += 1
        return
      }
      buffered += line
      if (buffered.length >= FLUSH_AT) flush()
    },
    flush,
  }
}

/** Writes until the time is up. Gives up at once when the reader is gone or the disk is full. */
function writeWithin(fd: number, bytes: Buffer, timeoutMs: number): void {
  const deadline = Date.now() + timeoutMs
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
