import type { ThisRun } from '../../bench/this-run'
import type { SoakPlan, SoakResult } from './soak'

/** Memory may grow by a tenth after the warm-up. */
const MAX_GROWTH = 1.1

/** Share of the time in which other machines may use the CPU. */
const MAX_STOLEN_TIME = 0.5

/** A soak proves nothing if no kill hit a payment in progress, or if other machines used the CPU half of the time. */
export function heldOut(result: SoakResult): boolean {
  const { faults, warmMb, endMb, kills, openAtKills, slices, stolenSlices } = result
  return (
    faults.length === 0 &&
    endMb <= warmMb * MAX_GROWTH &&
    (kills === 0 || openAtKills > 0) &&
    stolenSlices <= slices * MAX_STOLEN_TIME
  )
}

/** What happened, in one sentence each. */
export function soakLines(result: SoakResult): string[] {
  const { requests, perSecond, statuses, payments, kills, openAtKills, restarts, checks, faults, warmMb, endMb } =
    result
  const { slices, stolenSlices } = result
  const answers = Object.entries(statuses).map(([status, times]) =>
    status === '0' ? `${times} not answered` : `${times} answered ${status}`,
  )
  return [
    `${requests} requests, planned at ${perSecond.toFixed(0)} a second: ${answers.join(', ')}; ${payments} payments`,
    `${kills} kills of one instance, with ${openAtKills} payments pending at the kills in total, ${restarts} restarts of the database, ${checks} checks of the books`,
    `${faults.length} faults`,
    `for ${((100 * stolenSlices) / slices).toFixed(0)} % of the time, the host gave more than a seventh of the CPU to other machines`,
    `memory of the instance that ran throughout: ${warmMb.toFixed(0)} MB after warm-up, ${endMb.toFixed(0)} MB at the end (× ${(endMb / warmMb).toFixed(2)}, at most ${MAX_GROWTH}); each figure is the median over a tenth of the run`,
  ]
}

/** The whole text of `docs/soak.md`. */
export function soakReport(
  { command, at, commit, machine, versions }: ThisRun,
  plan: SoakPlan,
  result: SoakResult,
): string {
  const minutes = (ms: number): string => String(Math.round(ms / 6_000) / 10)
  return [
    '# Soak',
    '',
    `Written by \`${command}\` on ${at}, commit ${commit}; edits are lost at the next run. ${machine}. ${versions}.`,
    '',
    `Two instances of the production build share one PostgreSQL (fsync on) for ${minutes(plan.totalMs)} minutes, at a fixed rate, with 80 % reads and 20 % payments. One payment in ten goes to another VASP.`,
    `One instance is killed every ${minutes(plan.killEveryMs)} minutes, and the database is restarted every ${minutes(plan.restartEveryMs)} minutes. The books are checked in between. At the end, every answered payment must be in the books exactly once and must have ended.`,
    '',
    'A request to a killed server gets no answer. A request during a restart of the database is answered with 503. A request may also be answered with 503 while the host gives more than a seventh of the CPU to other machines. Every other answer except 200 is a fault, and so is a missing answer or a 503 at any other time.',
    '',
    ...soakLines(result).map((line) => `- ${line}`),
    ...result.faults.map((fault) => `- fault: ${fault}`),
    '',
  ].join('\n')
}
