import { setTimeout as sleep } from 'node:timers/promises'
import type { CannonLoad } from './cannon'
import type { Cannon } from './loader'
import { cpuSecondsOfFamily } from './process-use'
import type { HttpRequest } from './requests'
import { quantile } from './statistics'

/** One measurement. CPU in milliseconds per request. */
export interface Sample {
  readonly serverMs: number
  readonly databaseMs: number
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
}

/** Processes whose CPU counts, each with its children. */
export interface Used {
  readonly pids: readonly number[]
  /** CPU that the database has used so far; 0 if it is part of the server. */
  readonly databaseCpuSeconds: () => number
}

export interface Shot extends Used, CannonLoad {
  /** The value of the Host header, which the server checks. */
  readonly host: string
}

/** Work that a server does after its answers, such as storing events, belongs to them. */
const AFTERWARDS_MS = 250

export function cpuMs({ serverMs, databaseMs }: Sample): number {
  return serverMs + databaseMs
}

/** @throws Error when an answer has another status: a benchmark of errors measures nothing. */
export async function shoot(cannon: Cannon, shot: Shot): Promise<Sample> {
  const { port, host, callers, amount, expects, deadlineMs } = shot
  const requests = forEachCaller(shot.requests, callers).map((request) => ({
    ...request,
    headers: { Host: host, ...request.headers },
  }))
  const used = watchCpu(shot)
  const result = await cannon.run({ port, callers, amount, requests, expects, deadlineMs })
  const { latenciesMs, seconds, lost, odd } = result
  if (odd !== undefined || lost > 0 || latenciesMs.length !== amount)
    throw new Error(`${latenciesMs.length} answers of ${amount}, ${lost} lost; ${odd ?? 'no other status'}`)
  await sleep(AFTERWARDS_MS)
  return {
    ...used(amount),
    perSecond: amount / seconds,
    p50Ms: quantile(latenciesMs, 0.5),
    p99Ms: quantile(latenciesMs, 0.99),
  }
}

/** At least one request for each caller. */
function forEachCaller(requests: readonly HttpRequest[], callers: number): readonly HttpRequest[] {
  if (requests.length >= callers) return requests
  return Array.from({ length: callers }, () => requests)
    .flat()
    .slice(0, callers)
}

/** Returns a function that returns the CPU per request since this call. */
export function watchCpu({
  pids,
  databaseCpuSeconds,
}: Used): (requests: number) => Pick<Sample, 'serverMs' | 'databaseMs'> {
  const servers = (): number => pids.reduce((sum, pid) => sum + cpuSecondsOfFamily(pid), 0)
  const [serversBefore, databaseBefore] = [servers(), databaseCpuSeconds()]
  return (requests) => ({
    serverMs: ((servers() - serversBefore) * 1000) / requests,
    databaseMs: ((databaseCpuSeconds() - databaseBefore) * 1000) / requests,
  })
}

/** Measures each in turn, in the opposite order every other round, so that drift of the machine affects all equally. */
export async function inTurns<Result>(
  rounds: number,
  measured: readonly (() => Promise<Result>)[],
): Promise<Result[][]> {
  const results: Result[][] = measured.map(() => [])
  const indices = measured.map((_, index) => index)
  for (let round = 0; round < rounds; round++)
    for (const index of round % 2 === 0 ? indices : indices.toReversed()) {
      const one = measured[index]
      if (one !== undefined) results[index]?.push(await one())
    }
  return results
}
