import { appendFileSync, existsSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { withoutSecrets } from '../../lib/platform/without-secrets'

/** The maximum size of the current file and of the previous one, `….old`. */
const MAX_BYTES = 1_000_000

/** The file with the output of one of the demo's processes. */
export function processLogPath(dataDir: string, name: string): string {
  return join(dataDir, 'demo', `${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.log`)
}

/**
 * Stores a process's output line by line, so that a crash can be examined. The previous run is kept next to it. A file
 * that cannot be written is abandoned: a log never ends the demo.
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
