// Waiting for another process: as long as it works, and with a line that says for what and how long so far. Plain Node,
// because `ready.mjs` uses it before any package is installed.
import { spawn } from 'node:child_process'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { activityBelow, isRunning } from './process-table.mjs'

/** @typedef {import('./process-table.mjs').Activity} Activity */
/** @typedef {(line: string) => void} Say */

/** A process without a sign of work for this long stands still. */
export const STILL_AFTER_MS = 120_000
/**
 * What counts as a sign of work within `STILL_AFTER_MS`: more than an idle server uses, which measured 1.5 s and 350 kB,
 * and about 2 % of a processor, which a process that has work gets on a busy machine too. A process that waits for a slow
 * disk or network uses little processor time, and moves bytes.
 */
const WORK_CPU_MS = 2_500
const WORK_BYTES = 1024 * 1024
const LOOK_EVERY_MS = 2_000
/** A longer time between two looks was a suspension of this process or a sleep of the machine, in which nothing works. */
const LONGEST_LOOK_MS = 10_000
const SAY_EVERY_MS = 10_000
const SAY_WAITING_EVERY_MS = 3_000
const CHECK_EVERY_MS = 100
const KEPT_CHARACTERS = 16_000

/** Ends a process when its parent ends: `node --import` before its script. */
export const TIED_TO_PARENT = pathToFileURL(resolve('sandbox', 'shared', 'tied-to-parent.mjs')).href

/**
 * @typedef {object} WatchOptions
 * @property {number} [limitMs]
 * @property {() => number} [nowMs] A clock that only moves forward.
 * @property {(pid: number) => Activity | undefined} [activityOf]
 */

/**
 * Notices that a process stands still. Signs of work are processor time and bytes of the process and its descendants,
 * and a new `sign`, such as the next step of its start.
 * @param {WatchOptions} [options]
 */
export function createWatch({
  limitMs = STILL_AFTER_MS,
  nowMs = () => performance.now(),
  activityOf = activityBelow,
} = {}) {
  let lookedAtMs = nowMs()
  let stillMs = 0
  /** @type {string | undefined} */
  let lastSign
  /** @type {Activity | undefined} At the last sign of work. */
  let base
  /** @type {Activity | undefined} */
  let latest

  return {
    /**
     * Call it again and again. An undefined `pid` leaves `sign` as the only sign of work.
     * @param {{ pid: number | undefined, sign: string }} process
     * @returns {boolean} Whether there was no sign of work for `limitMs`.
     */
    standsStill({ pid, sign }) {
      const now = nowMs()
      if (sign === lastSign && now - lookedAtMs < LOOK_EVERY_MS) return stillMs >= limitMs
      stillMs += Math.min(now - lookedAtMs, LONGEST_LOOK_MS)
      lookedAtMs = now
      latest = pid === undefined ? undefined : activityOf(pid)
      if (sign !== lastSign || hasWorked(base, latest)) {
        base = latest
        stillMs = 0
      }
      lastSign = sign
      return stillMs >= limitMs
    },
    /** "no sign of work for 120 s", with what can be said about the reason. */
    describe: () =>
      `no sign of work for ${Math.floor(stillMs / 1_000)} s${latest?.suspended === true ? ': it is suspended (SIGSTOP or Ctrl-Z)' : ''}`,
  }
}

/** @typedef {ReturnType<typeof createWatch>} Watch */

/** @param {Activity | undefined} before @param {Activity | undefined} now */
function hasWorked(before, now) {
  if (now === undefined) return false
  // Less than before: a descendant has ended whose parent did not wait for it.
  if (before === undefined || now.cpuMs < before.cpuMs || now.bytes < before.bytes) return true
  return now.cpuMs - before.cpuMs >= WORK_CPU_MS || now.bytes - before.bytes >= WORK_BYTES
}

/**
 * "Creating the embedded database, 70 s so far".
 * @param {string} what
 * @param {number} ms
 */
export function soFar(what, ms) {
  return `${what}, ${Math.floor(ms / 1_000)} s so far`
}

/**
 * Says every ten seconds what is waited for, until the returned function is called.
 * @param {Say} say
 * @param {() => readonly string[]} lines
 * @param {number} [everyMs]
 */
export function sayProgress(say, lines, everyMs = SAY_EVERY_MS) {
  const timer = setInterval(() => lines().forEach((line) => say(line)), everyMs)
  return () => clearInterval(timer)
}

/**
 * Says at once, and then every three seconds, that another command is waited for.
 * @param {Say} say
 * @param {string} what
 */
export function sayWaiting(say, what) {
  const startedAtMs = performance.now()
  const line = () => soFar(what, performance.now() - startedAtMs)
  say(line())
  return sayProgress(say, () => [line()], SAY_WAITING_EVERY_MS)
}

/**
 * Waits until every process of an earlier command has ended.
 * @param {readonly import('./process-table.mjs').ProcessIdentity[]} processes
 * @param {{ what: string, say: Say, killAfterMs?: number, nowMs?: () => number }} options
 */
export async function untilEnded(processes, { what, say, killAfterMs = Infinity, nowMs = () => performance.now() }) {
  if (!processes.some(isRunning)) return
  const startedAtMs = nowMs()
  const quiet = sayWaiting(say, what)
  try {
    for (let left = processes.filter(isRunning); left.length > 0; left = left.filter(isRunning)) {
      if (nowMs() - startedAtMs > killAfterMs) left.forEach(kill)
      await sleep(CHECK_EVERY_MS)
    }
  } finally {
    quiet()
  }
}

/** @param {import('./process-table.mjs').ProcessIdentity} identity */
function kill({ pid }) {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has just ended.
  }
}

/**
 * @typedef {object} Work
 * @property {string} what "Building"
 * @property {string} command
 * @property {readonly string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {'inherit' | 'pipe' | 2} output Where its output goes; `pipe` returns it.
 * @property {Say} say
 * @property {(child: import('node:child_process').ChildProcess) => void} [onStart]
 * @property {Watch} [watch]
 */

/**
 * Runs a long command as a child that ends with this process. Says every ten seconds how long it has taken so far, and
 * kills it when it stands still.
 * @param {Work} work
 * @returns {Promise<{ status: number | null, signal: NodeJS.Signals | null, still: string | undefined, output: string }>}
 * `still` is the reason when it was killed for standing still.
 */
export async function runWork({ what, command, args, env, output, say, onStart, watch = createWatch() }) {
  const startedAtMs = performance.now()
  const child = spawn(command, args, {
    env: { ...env, NODE_OPTIONS: `${env.NODE_OPTIONS ?? ''} --import=${TIED_TO_PARENT}`.trim() },
    stdio: ['ignore', output, output, 'ipc'],
    shell: process.platform === 'win32' && command === 'npm',
  })
  onStart?.(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr])
    stream?.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => {
      text = (text + chunk).slice(-KEPT_CHARACTERS)
    })
  /** @type {string | undefined} */
  let still
  const looking = setInterval(() => {
    if (still !== undefined || !watch.standsStill({ pid: child.pid, sign: '' })) return
    still = watch.describe()
    child.kill('SIGKILL')
  }, LOOK_EVERY_MS)
  const quiet = sayProgress(say, () => [soFar(what, performance.now() - startedAtMs)])
  try {
    const [status, signal] = await new Promise((done, fail) => {
      child.once('error', fail)
      child.once('close', (...ended) => done(ended))
    })
    return { status, signal, still, output: text }
  } finally {
    clearInterval(looking)
    quiet()
  }
}
