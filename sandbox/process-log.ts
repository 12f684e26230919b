import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutSecrets } from '../lib/platform/without-secrets'

/** Kept twice: what is being written, and what was before it as `….old`. */
const MAX_BYTES = 1_000_000

/** Where the output of one of the demo's processes is kept. */
export function processLogPath(dataDir: string, name: string): string {
  return join(dataDir, 'demo', `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`)
}

/**
 * Keeps a process's output, a line at a time, so that a crash can be read afterwards. The run before stays beside it.
 * A file that cannot be written is given up: nobody's demo ends for its log.
 */
export function openProcessLog(path: string, maxBytes = MAX_BYTES): (line: string) => void {
  let bytes = 0
  let usable = attempt(() => {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    if (existsSync(path) && statSync(path).size > 0) renameSync(path, `${path}.old`)
  })
  return (line) => {
    const text = `${withoutSecrets(line)}\n`
    usable &&= attempt(() => {
      if (bytes + text.length > maxBytes) {
        renameSync(path, `${path}.old`)
        bytes = 0
      }
      appendFileSync(path, text, { mode: 0o600 })
      bytes += Buffer.byteLength(text)
    })
  }
}

function attempt(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}
