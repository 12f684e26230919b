import { availableParallelism } from 'node:os'
import type { Beside, CoresUsed, EngineResult } from './run-engine'
import type { Row } from './measure'
import { loadTable, table } from './table'
import type { ThisRun } from './this-run'
import type { UmaResult } from './uma'
import { umaRatios, umaSection } from './uma-report'

/** What was measured, everything in one run. */
export interface Results extends ThisRun {
  readonly limits: {
    /** Answers a second of a bare node:http server, and of a bare Next route in our build. */
    readonly bareHttp: number
    readonly bareRoute: number
    /** ES256 signatures checked a second, one after another. */
    readonly verify: number
    /** Empty questions to PostgreSQL a second, where there is one in this run. */
    readonly roundTrip: number | undefined
    /** Beside the bare server, in turn with it. */
    readonly balance: number
  }
  readonly engines: readonly EngineResult[]
  readonly overload: OverloadResult | undefined
  readonly uma: UmaResult | undefined
}

export interface OverloadResult {
  /** The most that was served without a rate, answers a second. */
  readonly most: number
  readonly sustainable: number
  readonly arrivals: number
  readonly seconds: number
  readonly served: number
  readonly shed: number
  readonly unanswered: number
  /** Answers of any other status. */
  readonly others: number
  /** Requests that were never sent, because the load itself had too many under way. */
  readonly notSent: number
  readonly shedP99Ms: number
  /** Of that, how late the load itself was. */
  readonly lateP99Ms: number
  readonly shedWithoutRetryAfter: number
  /** Payments that were held or on their way at one moment of the storm, and after it. */
  readonly mostOpen: number
  readonly unfinished: number
  readonly secondsToNormal: number
  readonly residentMb: number
}

export interface Ratio {
  readonly what: string
  readonly value: number
  readonly target: string
  readonly reached: boolean
  readonly next: string
}

const MOST_RESIDENT_MB = 350

/** The figures that this project has set itself, each beside what it is a share of. */
export function ratiosOf({ limits, engines, uma, overload }: Results): Ratio[] {
  const postgres = engines.find(({ name }) => name === 'postgres')
  const beside = postgres?.beside
  const least = (what: string, value: number, target: number, next: string): Ratio => ({
    what,
    value,
    target: `≥ ${target}`,
    reached: value >= target,
    next,
  })
  const ratios: Ratio[] = [
    least(
      '`GET /balance` : bare `node:http`',
      limits.balance / limits.bareHttp,
      0.25,
      'the server’s one thread: reading and writing sockets, and the hooks for asynchronous calls that Next leaves on',
    ),
  ]
  if (postgres !== undefined && beside !== undefined) ratios.push(...besideRatios(postgres.rows, beside, least))
  ratios.push(...umaRatios(uma))
  const rows = [...engines.flatMap((engine) => engine.rows), ...(uma?.rows ?? [])]
  const resident = Math.max(...rows.map(({ residentMb }) => residentMb), overload?.residentMb ?? 0)
  ratios.push({
    what: 'Resident memory under load and overload, MB (both databases)',
    value: resident,
    target: `≤ ${MOST_RESIDENT_MB}`,
    reached: resident <= MOST_RESIDENT_MB,
    next: 'the heap of V8, and with the embedded database its pages',
  })
  return ratios
}

function besideRatios(
  rows: readonly Row[],
  beside: Beside,
  least: (what: string, value: number, target: number, next: string) => Ratio,
): Ratio[] {
  const pages = rows.filter(({ what }) => what.startsWith('GET /transactions'))
  const [small, large] = [pages[0]?.p50Ms ?? Number.NaN, pages[1]?.p50Ms ?? Number.NaN]
  return [
    least(
      'Payment inside the VASP : posting straight through `pg`, 10 callers',
      beside.payment / beside.posting,
      0.5,
      'the database: two rows and six indexes more than a posting, their checks, and the guards that look at them once more',
    ),
    least(
      'Payment inside the VASP : the same with Prisma, read and write apart',
      beside.payment / beside.yardstick,
      5,
      'the same statement',
    ),
    {
      what: '`GET /transactions`, p50 with 1,000,000 rows : with 1,000',
      value: large / small,
      target: '≤ 1.3',
      reached: large / small <= 1.3,
      next: 'the indexes of a long history, a level deeper, and less of them in memory',
    },
    least(
      'Two instances on one PostgreSQL : one, `GET /balance`',
      beside.twoInstances.balance / beside.oneInstance.balance,
      1.5,
      inUse(beside.twoInstancesCores.balance),
    ),
    least(
      'Two instances on one PostgreSQL : one, payment',
      beside.twoInstances.payment / beside.oneInstance.payment,
      1.5,
      inUse(beside.twoInstancesCores.payment),
    ),
  ]
}

const CORES = availableParallelism()
/** The rest goes to the system, and to waiting for each other. */
const SHARE_THAT_SATURATES = 0.85

/** What two instances met: the end of the cores, or each other's locks and commits. */
function inUse({ servers, database, load }: CoresUsed): string {
  const sum = servers + database + load
  const parts = `servers ${servers.toFixed(2)}, database ${database.toFixed(2)}, load ${load.toFixed(2)}`
  return sum >= SHARE_THAT_SATURATES * CORES
    ? `all ${CORES} cores: ${parts}`
    : `${sum.toFixed(2)} of ${CORES} cores in use (${parts}): ten callers wait for each other's turns`
}

/** The table of the ratios, as docs and README show it. */
export function ratioTable(ratios: readonly Ratio[]): string {
  return table(
    ['Ratio', 'Measured', 'Aim', '', 'The next limit'],
    ratios.map(({ what, value, target, reached, next }) => [
      what,
      value >= 100 ? value.toFixed(0) : value.toFixed(2),
      target,
      reached ? 'reached' : 'not reached',
      reached ? '' : next,
    ]),
  )
}

/** `docs/benchmarks.md`, whole. */
export function reportOf(results: Results): string {
  const { machine, versions, commit, command, at, limits, engines, overload, uma } = results
  return [
    '# Benchmarks',
    '',
    `Written by \`${command}\` on ${at}, commit ${commit}; edits are lost at the next run. ${machine}. ${versions}.`,
    '',
    'The server is the production build as `npm start` runs it, with scopes, revocation, last use and its log on; only the',
    'limits by token are off, which would measure themselves. The load comes from another process on the same two cores,',
    'so it takes from the server what it costs, and so does the database. Absolute figures are of this machine; the',
    'ratios are what may be compared, each of things that took turns within this run.',
    '',
    '## Ratios',
    '',
    '<!-- ratios -->',
    '',
    ratioTable(ratiosOf(results)),
    '',
    '<!-- /ratios -->',
    '',
    'A 401 for a bad signature or claim asks the database nothing: `lib/gateway/api.db.test.ts` holds it to that.',
    '',
    '## Limits',
    '',
    table(
      ['In the same run', 'a second'],
      [
        ['Bare `node:http`, one JSON body, 10 callers', whole(limits.bareHttp)],
        ['`GET /balance`, 10 callers, in turn with it', whole(limits.balance)],
        ['A bare route of Next in the same build (`/-/alive`), 10 callers', whole(limits.bareRoute)],
        ['ES256 signatures checked by `jose`, one after another', whole(limits.verify)],
        ...(limits.roundTrip === undefined
          ? []
          : [['`select 1` through `pg` and back, 10 callers', whole(limits.roundTrip)]]),
        ...engines.flatMap(({ beside }) =>
          beside === undefined
            ? []
            : [
                ['`post_entry` straight through `pg`, 10 callers', whole(beside.posting)],
                ['Payment inside the VASP over HTTP, 10 callers, in turn with it', whole(beside.payment)],
                ['The same payment as an interactive transaction of Prisma, 10 callers', whole(beside.yardstick)],
              ],
        ),
      ],
    ),
    '',
    ...engines.flatMap(engineSection),
    ...umaSection(uma),
    ...(overload === undefined ? [] : overloadSection(overload)),
  ].join('\n')
}

function engineSection({ name, fsync, version, rows, beside }: EngineResult): string[] {
  const title =
    name === 'postgres'
      ? `PostgreSQL ${version}, fsync ${fsync ? 'on' : 'off'}`
      : `The embedded database (PGlite, PostgreSQL ${version}, no fsync)`
  return [
    `## ${title}`,
    '',
    'Answers a second with 10 callers that ask again at once; latencies with requests that arrive at half that rate, from the',
    'moment at which each was due.',
    '',
    loadTable(rows, { servers: 'server', digits: 0, hasOwnDatabase: name === 'postgres' }),
    '',
    ...(beside === undefined
      ? []
      : [
          table(
            ['Instances', '`GET /balance` a second', 'Payments a second'],
            [
              ['1', whole(beside.oneInstance.balance), whole(beside.oneInstance.payment)],
              ['2', whole(beside.twoInstances.balance), whole(beside.twoInstances.payment)],
            ],
          ),
          '',
        ]),
  ]
}

function overloadSection(overload: OverloadResult): string[] {
  return [
    '## Overload',
    '',
    table(
      ['Five times the sustainable rate, reads and payments 80 to 20', ''],
      [
        ['The most with 100 callers that ask again at once', `${whole(overload.most)}/s`],
        ['Sustainable, seven tenths of it', `${whole(overload.sustainable)}/s`],
        ['Arrivals', `${whole(overload.arrivals)}/s for ${whole(overload.seconds)} s`],
        ['Served', `${whole(overload.served)}, ${whole(overload.served / overload.seconds)}/s`],
        ['Shed with 429 or 503', whole(overload.shed)],
        ['Without an answer, or with another', whole(overload.unanswered + overload.others)],
        ['Not sent, because 1,000 were under way', whole(overload.notSent)],
        ['Shed within (p99), on connections that were open', `${whole(overload.shedP99Ms)} ms`],
        ['The load itself was late by (p99)', `${whole(overload.lateP99Ms)} ms`],
        ['Shed without `Retry-After`', whole(overload.shedWithoutRetryAfter)],
        ['Payments that were on their way at one moment, at most', whole(overload.mostOpen)],
        ['Of all that were begun, not ended', whole(overload.unfinished)],
        ['p99 back to normal after', `${overload.secondsToNormal.toFixed(1)} s`],
        ['Resident memory', `${whole(overload.residentMb)} MB`],
      ],
    ),
    '',
  ]
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en-US')
}
