import type { Samples } from './cells'
import { cpuMs } from './measure'
import { medianOf, ratioOf, type Figure } from './sections'
import { spreadOf, targetVerdict, type Spread } from './statistics'
import { decimal, range, table, whole } from './table'
import type { ThisRun } from './this-run'

/** One row on one engine: the samples of each side, first those of the commit to compare with. */
export interface RowResult {
  readonly what: string
  readonly callers: number
  readonly sides: readonly Samples[]
}

/** CPU of a row may grow by this much. */
const AIM = 1.1
const NONE = '–'

export function isWorse({ sides }: RowResult): boolean {
  const ratio = ratioOf(sides.at(-2), sides.at(-1))
  return ratio !== undefined && targetVerdict(ratio, AIM) === 'not reached'
}

/** CPU first. With two sides, also the ratio of the second to the first, paired by round. */
export function rowTable(rows: readonly RowResult[], against?: string): string {
  const head = ['Request', 'Callers', 'CPU ms', 'Range', 'Server + database', 'a second', 'p50 / p99 ms']
  const compared = against === undefined ? [] : [`CPU ms of ${against}`, 'Ratio', 'Range', `≤ ${AIM}`]
  return table(
    [...head, ...compared],
    rows.map(({ what, callers, sides }) => {
      const after = sides.at(-1)
      const ratio = ratioOf(sides.at(-2), after)
      const verdict = ratio === undefined ? NONE : targetVerdict(ratio, AIM).replace('not reached', 'worse')
      return [
        what,
        String(callers),
        ...cpuCells(after),
        ...(against === undefined ? [] : [cpuCells(sides.at(-2))[0] ?? NONE, ...spreadCells(ratio), verdict]),
      ]
    }),
  )
}

function cpuCells(samples: Samples): string[] {
  if (samples === undefined) return [NONE, NONE, NONE, NONE, NONE]
  const cpu = spreadOf(samples.map(cpuMs))
  const of = (field: 'serverMs' | 'databaseMs' | 'perSecond' | 'p50Ms' | 'p99Ms'): number =>
    medianOf(samples, (sample) => sample[field])
  return [
    ...spreadCells(cpu),
    `${decimal(of('serverMs'))} + ${decimal(of('databaseMs'))}`,
    whole(of('perSecond')),
    `${of('p50Ms').toFixed(1)} / ${of('p99Ms').toFixed(1)}`,
  ]
}

function spreadCells(spread: Spread | undefined): string[] {
  return spread === undefined ? [NONE, NONE] : [decimal(spread.median), range(spread)]
}

/** "Not settled": the range includes the aim. */
export function figureTable(figures: readonly Figure[], names: readonly string[]): string {
  const each = (name: string): string[] => [name, 'Range']
  return table(
    ['Figure', ...names.flatMap(each), 'Aim', ''],
    figures.map(({ what, spreads, aim }) => {
      const last = spreads.at(-1)
      return [
        what,
        ...spreads.flatMap(spreadCells),
        aim === undefined ? '' : `≤ ${aim}`,
        aim === undefined || last === undefined ? '' : targetVerdict(last, aim),
      ]
    }),
  )
}

/** The beginning of `docs/benchmarks.md`. */
export function introduction({ command, at, commit, machine, versions }: ThisRun, rounds: number, seconds: number) {
  return [
    '# Benchmarks',
    `Written by \`${command}\` on ${at}, commit ${commit}; edits are lost at the next run. ${machine}. ${versions}.`,
    `CPU is in milliseconds per request, median and range of ${rounds} rounds of ${seconds} s. The commits run in turn, each with databases of its own on the same engine, and a ratio is paired by round. The server is the production build as \`npm start\` runs it, with its events, except that the rate limits are off. \`autocannon\` sends the requests from another process on the same machine. A row with "UMA" or "another VASP" counts both VASPs. "–": the commit has no such call, or the row failed.`,
    'The server caches verified signatures of up to 10,000 tokens, so only the first call with a token bears the cost of the check.',
  ]
}
