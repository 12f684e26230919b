import { CONTROL } from './benchmarks'
import { cpuMs, type Sample } from './measure'
import type { OverloadResult } from './overload'
import type { Ratio } from './ratio'
import { median, pairedRatio, spreadOf, targetVerdict, verdictOf, WORSE, type Verdict } from './statistics'
import { decimal, range, table, whole } from './table'
import type { ThisRun } from './this-run'

export interface RowName {
  readonly what: string
  readonly callers: number
}

export interface RowResult extends RowName {
  readonly samples: readonly Sample[]
}

export interface ComparedRow extends RowName {
  readonly before: readonly Sample[]
  readonly after: readonly Sample[]
}

interface EngineRows<Row> {
  readonly title: string
  readonly rows: readonly Row[]
}

export interface EngineReport extends EngineRows<RowResult> {
  /** Largest resident memory of the server, and the memory of a separate database process, in MB. */
  readonly serverMb: number
  readonly databaseMb: number
}

export interface Results {
  readonly rounds: number
  readonly isQuick: boolean
  readonly ratios: readonly Ratio[]
  readonly engines: readonly EngineReport[]
  readonly overload: OverloadResult | undefined
}

export interface Comparison {
  readonly commit: string
  readonly rounds: number
  readonly isQuick: boolean
  readonly engines: readonly EngineRows<ComparedRow>[]
}

/** The whole text of `docs/benchmarks.md`. */
export function reportOf(run: ThisRun, { rounds, isQuick, ratios, engines, overload }: Results): string {
  return [
    '# Benchmarks',
    '',
    provenance(run),
    '',
    `CPU is in milliseconds per request, median and range of ${rounds} rounds${isQuick ? ' (a quick run)' : ''}. The server is the production build as \`npm start\``,
    'runs it, except that the per-token rate limits are off. `autocannon` sends the requests from another process on the same machine.',
    'The server caches verified signatures of up to 10,000 tokens, so only the first call with a token bears the cost of the check.',
    '',
    '## Ratios of CPU',
    '',
    '<!-- ratios -->',
    '',
    ratioTable(ratios),
    '',
    '<!-- /ratios -->',
    '',
    ...engines.flatMap(engineSection),
    ...(overload === undefined ? [] : overloadSection(overload)),
  ].join('\n')
}

/** "Not settled": the range includes the target. */
export function ratioTable(ratios: readonly Ratio[]): string {
  return table(
    ['Ratio', 'Median', 'Range', 'Target', ''],
    ratios.map(({ what, spread, target, format = decimal }) => [
      what,
      format(spread.median),
      range(spread, format),
      `≤ ${target}`,
      targetVerdict(spread, target),
    ]),
  )
}

function engineSection({ title, rows, serverMb, databaseMb }: EngineReport): string[] {
  const inServer = databaseMb === 0
  return [
    `## ${title}`,
    '',
    table(
      ['Request', 'Callers', 'CPU ms', 'Range', 'Server + database', 'a second', 'p50 ms', 'p99 ms'],
      rows.map(({ what, callers, samples }) => {
        const of = (value: (sample: Sample) => number): number => median(samples.map(value))
        const cpu = spreadOf(samples.map(cpuMs))
        return [
          what,
          String(callers),
          decimal(cpu.median),
          range(cpu),
          inServer
            ? 'one process'
            : `${decimal(of(({ serverMs }) => serverMs))} + ${decimal(of(({ databaseMs }) => databaseMs))}`,
          whole(of(({ perSecond }) => perSecond)),
          of(({ p50Ms }) => p50Ms).toFixed(1),
          of(({ p99Ms }) => p99Ms).toFixed(1),
        ]
      }),
    ),
    '',
    `Memory: server ${whole(serverMb)} MB at most${inServer ? ', the database included' : `; PostgreSQL ${whole(databaseMb)} MB`}.`,
    '',
  ]
}

/** The report of `--against`. */
export function comparisonReport(run: ThisRun, comparison: Comparison): string {
  const { commit, rounds, isQuick, engines } = comparison
  return [
    `# ${run.commit} compared with ${commit}`,
    '',
    provenance(run),
    '',
    `CPU in milliseconds per request, server and database, in ${rounds} alternating rounds${isQuick ? ' (a quick run: only large differences settle)' : ''}. "Worse": the median of the paired`,
    `ratios is above ${WORSE.toFixed(2)} and their range excludes 1.00. The control queries no database.`,
    '',
    ...engines.flatMap(({ title, rows }) => [
      `## ${title}`,
      '',
      table(
        ['Request', 'Callers', 'Before', 'After', 'Ratio', 'Range', ''],
        rows.map((row) => {
          const ratio = ratioOf(row)
          return [
            row.what === CONTROL ? `${row.what} (control)` : row.what,
            String(row.callers),
            decimal(median(row.before.map(cpuMs))),
            decimal(median(row.after.map(cpuMs))),
            ratio.median.toFixed(2),
            range(ratio, (value) => value.toFixed(2)),
            verdictOf(ratio),
          ]
        }),
      ),
      '',
      ...controlWarning(rows),
    ]),
    conclusion(comparison),
    '',
  ].join('\n')
}

export function ratioOf({ before, after }: ComparedRow): ReturnType<typeof pairedRatio> {
  return pairedRatio(before.map(cpuMs), after.map(cpuMs))
}

export function rowsThatAre(verdict: Verdict, { engines }: Comparison): (ComparedRow & { readonly title: string })[] {
  return engines.flatMap(({ title, rows }) =>
    rows.filter((row) => verdictOf(ratioOf(row)) === verdict).map((row) => ({ ...row, title })),
  )
}

function controlWarning(rows: readonly ComparedRow[]): string[] {
  const control = rows.find(({ what }) => what === CONTROL)
  if (control === undefined || verdictOf(ratioOf(control)) === 'same') return []
  return ['The control differs too: the machine was busy, or the check of tokens changed. Run it again.', '']
}

function conclusion(comparison: Comparison): string {
  const worse = rowsThatAre('worse', comparison)
  if (worse.length === 0) return 'No row is worse.'
  const names = worse.map(({ what, callers, title }) => `${what} with ${callers} callers (${title})`)
  return `Worse: ${names.join('; ')}.`
}

function provenance({ command, at, commit, machine, versions }: ThisRun): string {
  return `Written by \`${command}\` on ${at}, commit ${commit}; edits are lost at the next run. ${machine}. ${versions}.`
}

function overloadSection(overload: OverloadResult): string[] {
  return [
    '## Overload',
    '',
    table(
      ['Five times the sustainable rate, reads and payments 80 to 20', ''],
      [
        ['Maximum, with 100 callers and no fixed rate', `${whole(overload.most)}/s`],
        ['Sustainable, 70 % of the maximum', `${whole(overload.sustainable)}/s`],
        ['Arrivals', `${whole(overload.arrivals)}/s for ${whole(overload.seconds)} s`],
        ['Served', `${whole(overload.served)}, ${whole(overload.served / overload.seconds)}/s`],
        ['Shed with 429 or 503', whole(overload.shed)],
        ['Without an answer, or with another status', whole(overload.unanswered + overload.others)],
        ['Not sent, because 1,000 were in progress', whole(overload.notSent)],
        ['Shed within (p99), on open connections', `${whole(overload.shedP99Ms)} ms`],
        ['Delay of the load process (p99)', `${whole(overload.lateP99Ms)} ms`],
        ['Shed without `Retry-After`', whole(overload.shedWithoutRetryAfter)],
        ['Most payments pending at one moment', whole(overload.maxOpen)],
        ['Payments still pending at the end', whole(overload.unfinished)],
        ['p99 back to normal after', `${overload.secondsToNormal.toFixed(1)} s`],
        ['Resident memory of the server', `${whole(overload.residentMb)} MB`],
      ],
    ),
    '',
  ]
}
