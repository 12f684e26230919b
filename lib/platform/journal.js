// For systemd's journal. Plain JavaScript, because server.js uses it before anything is compiled.
import { fstatSync } from 'node:fs'

/** Pino's levels from which a line has the priority of syslog, the highest first. */
const PRIORITIES = /** @type {const} */ ([
  [60, '<2>'],
  [50, '<3>'],
  [40, '<4>'],
  [30, '<6>'],
])
const DEBUG = '<7>'
export const ERROR = 50

/**
 * Whether the journal reads this file descriptor: systemd names the device and the inode of its socket in
 * `JOURNAL_STREAM`. A process that inherits the variable may have another output.
 * @param {number} fd
 * @param {Readonly<Record<string, string | undefined>>} env
 */
export function reachesJournal(fd, env = process.env) {
  if (!env.JOURNAL_STREAM) return false
  try {
    const { dev, ino } = fstatSync(fd, { bigint: true })
    return env.JOURNAL_STREAM === `${dev}:${ino}`
  } catch {
    return false
  }
}

/**
 * The prefix of a line from which the journal reads its priority, and which it removes (sd-daemon(3)).
 * @param {number} level pino's
 * @returns {string}
 */
export function journalPriority(level) {
  return PRIORITIES.find(([from]) => level >= from)?.[1] ?? DEBUG
}

/**
 * The text of an error for stderr. For the journal, each line has the priority of an error, because each is a record of its own.
 * @param {string} text
 * @param {number} [fd]
 */
export function errorText(text, fd = 2) {
  return reachesJournal(fd) ? text.replace(/^/gm, journalPriority(ERROR)) : text
}
