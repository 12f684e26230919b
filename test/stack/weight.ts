import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { promisify } from 'node:util'

export interface Weight {
  readonly pid: number
  readonly command: string
  readonly megabytes: number
  /** CPU time of a process since its start, including its ended children. */
  readonly cpuSeconds: number
}

/**
 * The resident memory and the CPU time of a process and all its descendants, as Linux counts them. RSS rather than
 * PSS: RSS counts shared memory once for each process, so it is never too low, and it is what `ps` shows.
 */
export function weightsBelow(pid: number): Weight[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter(isNumber)
      .map((name) => [Number(name), parentOf(name)]),
  )
  const childrenOf = (each: number): number[] => [...parents.keys()].filter((one) => parents.get(one) === each)
  const family = (each: number): number[] => [each, ...childrenOf(each).flatMap(family)]
  return family(pid).map((each) => ({
    pid: each,
    command: readFileSync(`/proc/${each}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
    megabytes: Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${each}/status`, 'utf8'))?.[1]) / 1024,
    cpuSeconds: cpuSecondsOf(each),
  }))
}

/** Fields 14 to 17 of proc(5)'s stat, in hundredths of a second on every current Linux. */
function cpuSecondsOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100
}

function isNumber(name: string): boolean {
  return /^\d+$/.test(name)
}

function parentOf(pid: string): number {
  try {
    return Number(/^PPid:\s+(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1])
  } catch {
    // The process has ended in the meantime.
    return 0
  }
}

const DATABASE = `
  const { PGlite } = await import('@electric-sql/pglite')
  await (await PGlite.create()).query('select 1')
  const { user, system } = process.cpuUsage()
  process.stdout.write(String((user + system) / 1_000))
  process.exit()`

/**
 * The CPU time that an empty embedded database in memory takes here and now, in milliseconds. The same work takes twice
 * as much CPU time while other programs use the same chip, so a process’s CPU time means something only relative to
 * this value.
 */
export async function databaseCpuMs(): Promise<number> {
  return average(['--input-type=module', '--eval', DATABASE])
}

/** The average of two node processes that run at the same time, one for each core. */
async function average(args: readonly string[]): Promise<number> {
  const run = promisify(execFile)
  const measured = await Promise.all([1, 2].map(() => run(process.execPath, args)))
  return measured.reduce((sum, { stdout }) => sum + Number(stdout), 0) / measured.length
}
