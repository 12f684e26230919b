import { freePort } from '../test/free-port'
import type { Engine } from './engines'
import { newIdentity, startInstance, type Instance } from './instance'
import { SHARE_OF_MOST, measureSteady, median, most, type Bench, type Measured, type Row } from './measure'
import { makeCast } from './people'
import { cpuSecondsOf, watchMemory } from './process-use'
import { reads } from './requests'

interface Place {
  readonly engine: Engine
  readonly server: Instance
  readonly measured: Measured
}

/**
 * `GET /transactions` of a person with a short history and of one with a long one: each alone in a database of its own on
 * the same server, loaded and audited before anything is measured, asked for the same page at the same rate, in turn. What
 * differs is the number of rows.
 */
export async function measureHistoryPages(
  engine: Engine,
  bench: Bench,
  { historyRows, rounds }: { readonly historyRows: readonly [number, number]; readonly rounds: number },
): Promise<Row[]> {
  const places: Place[] = []
  try {
    for (const rows of historyRows) places.push(await openPlace(await engine.sibling(), rows))
    const full: Awaited<ReturnType<typeof most>>[][] = places.map(() => [])
    const cores: [number, number][][] = places.map(() => [])
    const memory = places.map(({ server }) => watchMemory(server.pid))
    for (let round = 0; round < rounds; round++)
      for (const [index, { server, measured }] of places.entries()) {
        const [ours, database] = [cpuSecondsOf(server.pid), bench.databaseCpuSeconds()]
        const done = await most(bench, measured)
        full[index]?.push(done)
        cores[index]?.push([
          (cpuSecondsOf(server.pid) - ours) / done.seconds,
          (bench.databaseCpuSeconds() - database) / done.seconds,
        ])
      }
    const rates = full.map((each) => median(each.map(({ rate }) => rate)))
    const perSecond = Math.max(1, Math.floor(Math.min(...rates) * SHARE_OF_MOST))
    const waits: { p50Ms: number; p99Ms: number }[][] = places.map(() => [])
    for (let round = 0; round < rounds; round++)
      for (const [index, { measured }] of places.entries())
        waits[index]?.push(await measureSteady(bench, measured, perSecond))
    return places.map(({ measured }, index) => ({
      what: measured.what,
      perSecond: rates[index] ?? Number.NaN,
      arrivalsPerSecond: perSecond,
      p50Ms: median((waits[index] ?? []).map(({ p50Ms }) => p50Ms)),
      p99Ms: median((waits[index] ?? []).map(({ p99Ms }) => p99Ms)),
      residentMb: memory[index]?.stop() ?? Number.NaN,
      serverCores: median((cores[index] ?? []).map(([ours]) => ours)),
      databaseCores: median((cores[index] ?? []).map(([, database]) => database)),
      loadCores: median((full[index] ?? []).map(({ cpuSeconds, seconds }) => cpuSeconds / seconds)),
    }))
  } finally {
    for (const { server, engine: own } of places) {
      await server.stop()
      await own.stop()
    }
  }
}

async function openPlace(engine: Engine, rows: number): Promise<Place> {
  const port = await freePort()
  const identity = newIdentity(port)
  const cast = await engine.withDatabase((db) => makeCast(db, identity, 1))
  const [person] = cast.people
  if (person === undefined) throw new Error('there is a person')
  const { snapshotId } = cast.vasp.deps.rates
  await engine.addHistory({ username: person.username, walletId: person.wallet.walletId, snapshotId }, rows)
  // Its first audit reads the whole history and ends before it listens.
  const server = await startInstance(identity, port, engine.env)
  const requests = reads(cast.people, port, '/transactions')
  return {
    engine,
    server,
    measured: {
      what: `GET /transactions, ${rows.toLocaleString('en-US')} rows`,
      ports: [port],
      pids: [server.pid],
      requests,
    },
  }
}
