import { freePort } from '../test/free-port'
import { idOf } from '../test/vasp'
import type { Engine } from './engines'
import { startInstance, type Identity, type Instance } from './instance'
import { CALLERS, perSecond, postingsPerSecond } from './limits'
import { measureHistoryPages } from './history-pages'
import { measure, median, most, type Bench, type Row } from './measure'
import { newPeers } from './peers'
import { makeCast, makeInvoices, makePayments, type Cast } from './people'
import { cpuSecondsOf } from './process-use'
import { badSignatures, invoiceRequests, paymentRequests, reads } from './requests'
import { payAsUsual } from './yardstick'

export interface EngineResult {
  readonly name: Engine['name']
  readonly fsync: boolean
  readonly version: string
  readonly rows: readonly Row[]
  /** Where the database is a server: what is measured beside it. */
  readonly beside: Beside | undefined
}

export interface Beside {
  /** Answers a second, each the median of several rounds in turn with the others of its group. */
  readonly posting: number
  readonly payment: number
  readonly yardstick: number
  readonly oneInstance: { readonly balance: number; readonly payment: number }
  readonly twoInstances: { readonly balance: number; readonly payment: number }
  readonly twoInstancesCores: { readonly balance: CoresUsed; readonly payment: CoresUsed }
}

/** Shares of a core. */
export interface CoresUsed {
  readonly servers: number
  readonly database: number
  readonly load: number
}

export interface Scale {
  readonly durationMs: number
  readonly rounds: number
  readonly historyRows: readonly [small: number, large: number]
}

const PEOPLE = 50
/** For how many payments there are invoices; a load that has used them up ends early. */
const MOST_PAYMENTS_PER_SECOND = 700
const MOST_NODE_PAYMENTS_PER_SECOND = 150

/** Everything that is measured on one engine. */
export async function runEngine(
  engine: Engine,
  bench: Bench,
  scale: Scale,
  say: (line: string) => void,
): Promise<EngineResult> {
  const { ours, theirs } = await newPeers()
  const { port, identity } = ours
  const otherEngine = await engine.sibling()
  const seconds = scale.durationMs / 1000
  say(`${engine.name}: people and invoices …`)
  const { cast, payments } = await engine.withDatabase(async (db) => {
    const made = await makeCast(db, identity, PEOPLE, ours.env)
    const count = Math.ceil(
      MOST_PAYMENTS_PER_SECOND * seconds * (2 + (engine.url === undefined ? 0 : scale.rounds * 3)),
    )
    return { cast: made, payments: await makePayments(made, count) }
  })
  const abroad = await otherEngine.withDatabase(async (db) => {
    const made = await makeCast(db, theirs.identity, 1, theirs.env)
    const [payee] = made.people
    if (payee === undefined) throw new Error('there is a payee')
    return makeInvoices(made, payee, Math.ceil(MOST_NODE_PAYMENTS_PER_SECOND * seconds * 2), 1_000n)
  })
  const server = await startInstance(identity, port, { ...engine.env, ...ours.env })
  const peer = await startInstance(theirs.identity, theirs.port, { ...otherEngine.env, ...theirs.env })
  const rows: Row[] = []
  const keep = (done: Row): void => {
    rows.push(done)
    say(
      `  ${done.what}: ${done.perSecond.toFixed(0)}/s, p50 ${done.p50Ms.toFixed(2)} ms, p99 ${done.p99Ms.toFixed(2)} ms`,
    )
  }
  const row = async (what: string, requests: readonly string[], more: { once?: boolean; expects?: number } = {}) => {
    const done = await measure(bench, { what, ports: [port], pids: [server.pid], requests, ...more })
    keep(done)
  }
  const supply = paymentRequests(payments, port)
  const take = (count: number): string[] => supply.splice(0, Math.ceil(count))
  try {
    await most(bench, warmUp('the first answers', port, reads(cast.people, port, '/balance')))
    await row('GET /info', reads(cast.people, port, '/info'))
    await row('GET /balance', reads(cast.people, port, '/balance'))
    await row('401 for a bad signature', badSignatures(cast.people, port), { expects: 401 })
    await row('POST /invoice', invoiceRequests(cast.people, port))
    await row('Payment inside the VASP', take(MOST_PAYMENTS_PER_SECOND * seconds * 2), { once: true })
    await row('Payment through the sandbox node', paymentRequests(spread(cast, abroad), port), { once: true })
    const beside =
      engine.url === undefined
        ? undefined
        : await measureBeside({
            engine,
            bench,
            scale,
            cast,
            server,
            port,
            identity,
            env: ours.env,
            take,
            payments,
            say,
          })
    say(`  ${scale.historyRows.join(' and ')} rows of history …`)
    for (const page of await measureHistoryPages(engine, bench, scale)) keep(page)
    return { name: engine.name, fsync: engine.fsync, version: engine.version, rows, beside }
  } finally {
    await Promise.all([server.stop(), peer.stop()])
    await otherEngine.stop()
    await engine.stop()
  }
}

function spread({ people }: Cast, invoices: Awaited<ReturnType<typeof makeInvoices>>) {
  return invoices.flatMap((invoice, index) => {
    const payer = people[index % people.length]
    return payer === undefined ? [] : [{ payer, invoice }]
  })
}

function warmUp(what: string, port: number, requests: readonly string[]) {
  return { what, ports: [port], pids: [], requests }
}

interface BesideInput {
  readonly engine: Engine
  readonly bench: Bench
  readonly scale: Scale
  readonly cast: Cast
  readonly server: Instance
  readonly port: number
  readonly identity: Identity
  readonly env: Readonly<Record<string, string>>
  readonly take: (count: number) => string[]
  readonly payments: Awaited<ReturnType<typeof makePayments>>
  readonly say: (line: string) => void
}

/** What payments are held against, in turn with them, so that whatever else the machine does falls on all alike. */
async function measureBeside(input: BesideInput): Promise<Beside> {
  const { engine, bench, scale, cast, server, port, identity, env, take, payments, say } = input
  const seconds = scale.durationMs / 1000
  const posting: number[] = []
  const payment: number[] = []
  const yardstick: number[] = []
  const connectionIds = new Map(cast.people.map(({ username, token }) => [username, idOf(token)]))
  // From the far end, where the load over HTTP does not come.
  const spare = payments.slice(-Math.ceil(200 * seconds * scale.rounds))
  const payOverHttp = (): Promise<{ rate: number }> =>
    most(bench, { ...warmUp('payments', port, take(MOST_PAYMENTS_PER_SECOND * seconds)), once: true })
  for (let round = 0; round < scale.rounds; round++) {
    posting.push(await postingsPerSecond(engine.url ?? '', cast.people, `round ${round}`, scale.durationMs))
    payment.push((await payOverHttp()).rate)
    const usual = await engine.withDatabase((db) =>
      perSecond(CALLERS, scale.durationMs, async () => {
        const next = spare.pop()
        if (next === undefined) throw new Error('there are too few invoices for the yardstick')
        const connectionId = connectionIds.get(next.payer.username) ?? ''
        await payAsUsual(db, cast.vasp.deps.rates.snapshotId, { ...next, connectionId })
      }),
    )
    yardstick.push(usual)
    say(
      `  posting ${posting.at(-1)?.toFixed(0)}/s, payment ${payment.at(-1)?.toFixed(0)}/s, yardstick ${usual.toFixed(0)}/s`,
    )
  }
  const secondPort = await freePort()
  const second = await startInstance(identity, secondPort, { ...engine.env, ...env })
  const balance = (ports: readonly number[]): Promise<Rate> =>
    most(bench, { ...warmUp('balance', port, reads(cast.people, port, '/balance')), ports })
  const pay = (ports: readonly number[]): Promise<Rate> =>
    most(bench, { ...warmUp('payments', port, take((MOST_PAYMENTS_PER_SECOND * seconds) / 2)), ports, once: true })
  try {
    const one = { balance: [] as number[], payment: [] as number[] }
    const two = { balance: [] as number[], payment: [] as number[] }
    const cores = { balance: [] as CoresUsed[], payment: [] as CoresUsed[] }
    const both = (load: (ports: readonly number[]) => Promise<Rate>) =>
      withCores(bench, [server.pid, second.pid], () => load([port, secondPort]))
    await balance([secondPort])
    for (let round = 0; round < scale.rounds; round++) {
      one.balance.push((await balance([port])).rate)
      const reading = await both(balance)
      two.balance.push(reading.rate)
      cores.balance.push(reading.cores)
      one.payment.push((await pay([port])).rate)
      const paying = await both(pay)
      two.payment.push(paying.rate)
      cores.payment.push(paying.cores)
    }
    say(`  one instance ${median(one.balance).toFixed(0)}/s, two ${median(two.balance).toFixed(0)}/s (balance)`)
    return {
      posting: median(posting),
      payment: median(payment),
      yardstick: median(yardstick),
      oneInstance: { balance: median(one.balance), payment: median(one.payment) },
      twoInstances: { balance: median(two.balance), payment: median(two.payment) },
      twoInstancesCores: { balance: medianCores(cores.balance), payment: medianCores(cores.payment) },
    }
  } finally {
    await second.stop()
  }
}

type Rate = Awaited<ReturnType<typeof most>>

/** A load, and what of the machine it took. */
async function withCores(
  bench: Bench,
  pids: readonly number[],
  load: () => Promise<Rate>,
): Promise<{ readonly rate: number; readonly cores: CoresUsed }> {
  const used = (): number => pids.reduce((sum, pid) => sum + cpuSecondsOf(pid), 0)
  const [servers, database] = [used(), bench.databaseCpuSeconds()]
  const { rate, seconds, cpuSeconds } = await load()
  const cores = {
    servers: (used() - servers) / seconds,
    database: (bench.databaseCpuSeconds() - database) / seconds,
    load: cpuSeconds / seconds,
  }
  return { rate, cores }
}

function medianCores(all: readonly CoresUsed[]): CoresUsed {
  const of = (part: keyof CoresUsed): number => median(all.map((each) => each[part]))
  return { servers: of('servers'), database: of('database'), load: of('load') }
}
