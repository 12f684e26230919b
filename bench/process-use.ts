import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Linux counts CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100

/** CPU that a process has used since its start; zero for one that has ended, or if the system does not report it. */
export function cpuSecondsOf(pid: number): number {
  const fields = statOf(pid)
  return (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) / TICKS_PER_SECOND
}

/** The same for a process and all processes below it, ended or not: a database server and its connections. */
export function cpuSecondsOfFamily(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + cpuSecondsWithEnded(each), 0)
}

/** The same for a process and those of its children that have ended. */
export function cpuSecondsWithEnded(pid: number): number {
  const fields = statOf(pid)
  return cpuSecondsOf(pid) + (Number(fields[13] ?? 0) + Number(fields[14] ?? 0)) / TICKS_PER_SECOND
}

/** Resident memory in megabytes of 2^20 bytes; zero if the system does not report it. */
export function residentMb(pid: number): number {
  return kilobytes(`/proc/${pid}/status`, 'VmRSS') / 1024
}

/** Memory of a process and those below it, each shared page counted once. */
export function memoryMbOfFamily(pid: number): number {
  return familyOf(pid).reduce((sum, each) => sum + kilobytes(`/proc/${each}/smaps_rollup`, 'Pss'), 0) / 1024
}

function kilobytes(file: string, field: string): number {
  try {
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readFileSync(file, 'utf8'))?.[1] ?? 0)
  } catch {
    return 0
  }
}

/**
 * Of the time since the last call in which a process here wanted to run, the share that the host gave to other machines;
 * zero if the system does not report it. `/proc/stat`, proc(5): user, nice, system, idle, iowait, irq, softirq, steal.
 */
export function watchStolen(): () => number {
  let before = ticksOfMachine()
  return () => {
    const now = ticksOfMachine()
    const stolen = now.stolen - before.stolen
    const wanted = now.used - before.used + stolen
    before = now
    return wanted === 0 ? 0 : stolen / wanted
  }
}

function ticksOfMachine(): { readonly used: number; readonly stolen: number } {
  try {
    const line = /^cpu +(.*)$/m.exec(readFileSync('/proc/stat', 'utf8'))?.[1] ?? ''
    const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, stolen = 0] = line.split(' ').map(Number)
    return { used: user + nice + system + irq + softirq, stolen }
  } catch {
    return { used: 0, stolen: 0 }
  }
}

/** A process and all processes below it. */
export function familyOf(pid: number): number[] {
  const parents = new Map<number, number>()
  for (const name of existsSync('/proc') ? readdirSync('/proc') : [])
    if (/^\d+$/.test(name)) parents.set(Number(name), Number(statOf(Number(name))[1]))
  const family = (one: number): number[] => [
    one,
    ...[...parents].flatMap(([each, parent]) => (parent === one ? family(each) : [])),
  ]
  return family(pid)
}

/** The fields after the process name, which may contain spaces: state, parent, …, user time, system time, the same of ended children. */
function statOf(pid: number): string[] {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Watches the largest resident memory of a process, read five times a second. */
export function watchMemory(pid: number): { stop(): number } {
  let most = residentMb(pid)
  const timer = setInterval(() => (most = Math.max(most, residentMb(pid))), 200)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(most, residentMb(pid))
    },
  }
}
