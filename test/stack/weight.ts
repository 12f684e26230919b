import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { cpuSecondsWithEnded, familyOf, residentMb } from '../../bench/process-use'

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
  return familyOf(pid).map((each) => ({
    pid: each,
    command: readFileSync(`/proc/${each}/cmdline`, 'utf8').replaceAll('\0', ' ').trim(),
    megabytes: residentMb(each),
    cpuSeconds: cpuSecondsWithEnded(each),
  }))
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
