// The processes of this machine. Plain Node, because `ready.mjs` uses it before any package is installed.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'

/**
 * @typedef {object} ProcessRow
 * @property {number} pid
 * @property {number} parent
 * @property {number} cpuMs Processor time of the process and its ended children, in milliseconds.
 * @property {string} startedAt Together with `pid`, it identifies a process: the system reuses process ids.
 * @property {boolean} suspended By SIGSTOP or Ctrl-Z.
 */

/**
 * @typedef {object} Activity What a process and its descendants have done so far.
 * @property {number} cpuMs
 * @property {number} bytes Bytes read and written, from files, pipes and the network. Only Linux counts them; elsewhere 0.
 * @property {boolean} suspended
 */

/** `USER_HZ`: 100 on every current Linux. */
const MS_PER_TICK = 10

/** @returns {ProcessRow[]} */
export function processTable() {
  return process.platform === 'linux' ? tableFromProc() : tableFromPs()
}

/**
 * The process, if it runs. An ended process that its parent has not waited for does not run.
 * @param {number} pid
 * @returns {ProcessRow | undefined}
 */
export function processRow(pid) {
  return process.platform === 'linux' ? rowFromProc(String(pid)) : tableFromPs().find((row) => row.pid === pid)
}

/** @typedef {Pick<ProcessRow, 'pid' | 'startedAt'>} ProcessIdentity */

/**
 * Whether this process still runs, and not another one with the same process id.
 * @param {ProcessIdentity} identity
 */
export function isRunning({ pid, startedAt }) {
  return processRow(pid)?.startedAt === startedAt
}

/**
 * @param {number} pid
 * @returns {Activity | undefined} Undefined when the process has ended.
 */
export function activityBelow(pid) {
  const table = processTable()
  const root = table.find((row) => row.pid === pid)
  if (root === undefined) return undefined
  const family = [root]
  for (const parent of family) family.push(...table.filter((row) => row.parent === parent.pid))
  return {
    cpuMs: family.reduce((sum, { cpuMs }) => sum + cpuMs, 0),
    bytes: family.reduce((sum, row) => sum + bytesOf(row.pid), 0),
    suspended: root.suspended,
  }
}

function tableFromProc() {
  return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (rowFromProc(name) ?? []) : []))
}

/**
 * proc(5): the fields of `stat` after the command, which may contain spaces and parentheses.
 * @param {string} pid
 * @returns {ProcessRow | undefined}
 */
function rowFromProc(pid) {
  const stat = readIfThere(`/proc/${pid}/stat`)
  if (stat === undefined) return undefined
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [state = '', parent] = fields
  if (isEnded(state)) return undefined
  const ticks = fields.slice(11, 15).reduce((sum, each) => sum + Number(each), 0)
  return {
    pid: Number(pid),
    parent: Number(parent),
    cpuMs: ticks * MS_PER_TICK,
    startedAt: fields[19] ?? '',
    suspended: isSuspended(state),
  }
}

/** @param {number} pid */
function bytesOf(pid) {
  const text = process.platform === 'linux' ? readIfThere(`/proc/${pid}/io`) : undefined
  return [...(text ?? '').matchAll(/^[rw]char: (\d+)$/gm)].reduce((sum, [, bytes]) => sum + Number(bytes), 0)
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    // The process has ended, or belongs to another user.
    return undefined
  }
}

/** For macOS and BSD. */
function tableFromPs() {
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,state=,time=,lstart='], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  })
  return parsePs(stdout ?? '')
}

/**
 * Exported for a test.
 * @param {string} text
 * @returns {ProcessRow[]}
 */
export function parsePs(text) {
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, state = '', time = '', startedAt = ''] =
      /^\s*(\d+)\s+(\d+)\s+(\S+)\s+([\d:.-]+)\s+(.+?)\s*$/.exec(line) ?? []
    if (pid === undefined || isEnded(state)) return []
    return [{ pid: Number(pid), parent: Number(parent), cpuMs: msOf(time), startedAt, suspended: isSuspended(state) }]
  })
}

/** @param {string} time `[[days-]hours:]minutes:seconds`, with a fraction on macOS. */
function msOf(time) {
  const [clock = '', days = '0'] = time.split('-').toReversed()
  const seconds = clock.split(':').reduce((sum, part) => sum * 60 + Number(part), 0)
  return (Number(days) * 86_400 + seconds) * 1_000
}

/** @param {string} state */
const isEnded = (state) => /^[ZXx]/.test(state)
/** @param {string} state */
const isSuspended = (state) => /^[Tt]/.test(state)
