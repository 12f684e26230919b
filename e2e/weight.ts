import { execFile } from 'node:child_process'
import { readFileSync, readdirSync } from 'node:fs'
import { promisify } from 'node:util'

export interface Weight {
  readonly pid: number
  readonly command: string
  readonly megabytes: number
  /** What it has used since its start, with its children that have ended. */
  readonly cpuSeconds: number
}

/**
 * The resident memory and the CPU time of a process and of everything below it, by Linux's own count. RSS and not PSS: it counts what
 * processes share once for each, so it is never too little, and it is what `ps` shows.
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

/** Fields 14 to 17 of proc(5)'s stat, in hundredths of a second on every Linux of today. */
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
    // It has ended meanwhile.
    return 0
  }
}

const BUSY = `
  const [startedAt, usedBefore] = [performance.now(), process.cpuUsage()]
  while (performance.now() < startedAt + 1_000);
  const { user, system } = process.cpuUsage(usedBefore)
  process.stdout.write(String(((performance.now() - startedAt) * 1_000) / (user + system)))`

const DATABASE = `
  const { PGlite } = await import('@electric-sql/pglite')
  await (await PGlite.create()).query('select 1')
  const { user, system } = process.cpuUsage()
  process.stdout.write(String((user + system) / 1_000))
  process.exit()`

/**
 * What an empty embedded database in memory costs here and now, in milliseconds of CPU. The same work takes twice as many
 * of them where others work on the same chip, so only beside this does a process's CPU time say something of itself.
 */
export async function databaseCpuMs(): Promise<number> {
  return average(['--input-type=module', '--eval', DATABASE])
}

/**
 * How many times longer a busy process takes here now than it would alone: 1 where both our cores are free, 2 where
 * others take half of them. The machine's own speed is not in it.
 */
export async function slowdown(): Promise<number> {
  return Math.max(1, await average(['--eval', BUSY]))
}

/** Of what two processes of node say, which run at the same time: one for each of our cores. */
async function average(args: readonly string[]): Promise<number> {
  const run = promisify(execFile)
  const measured = await Promise.all([1, 2].map(() => run(process.execPath, args)))
  return measured.reduce((sum, { stdout }) => sum + Number(stdout), 0) / measured.length
}
