import type { SoakPlan, SoakResult } from './soak'
import type { ThisRun } from './this-run'

/** Memory may have grown by a tenth since it was warm. */
const MOST_GROWTH = 1.1

/** Of the time, so much may have been without the whole machine. */
const MOST_STOLEN_TIME = 0.5

/**
 * Whether everything held that a soak is for. One whose kills met no payment under way has shown nothing of those, and one
 * that seldom had the machine to itself little of a server in a calm time.
 */
export function heldOut(result: SoakResult): boolean {
  const { faults, warmMb, endMb, kills, openAtKills, slices, stolenSlices } = result
  return (
    faults.length === 0 &&
    endMb <= warmMb * MOST_GROWTH &&
    (kills === 0 || openAtKills > 0) &&
    stolenSlices <= slices * MOST_STOLEN_TIME
  )
}

/** What happened, a sentence each. */
export function soakLines(result: SoakResult): string[] {
  const { requests, perSecond, statuses, payments, kills, openAtKills, restarts, checks, faults, warmMb, endMb } =
    result
  const { slices, stolenSlices } = result
  const answers = Object.entries(statuses).map(([status, times]) => `${status === '0' ? 'none' : status}: ${times}`)
  return [
    `${requests} requests, ${perSecond.toFixed(0)} a second, answered ${answers.join(', ')}; ${payments} payments`,
    `${kills} kills of one instance, which met ${openAtKills} payments under way, ${restarts} restarts of the database, ${checks} checks of the books`,
    `${faults.length} faults`,
    `${((100 * stolenSlices) / slices).toFixed(0)} % of the time the host gave much of the machine to others`,
    `memory of the instance that lived throughout, the median of a tenth of the time: ${warmMb.toFixed(0)} MB warm, ${endMb.toFixed(0)} MB at the end (× ${(endMb / warmMb).toFixed(2)}, at most ${MOST_GROWTH})`,
  ]
}

/** `docs/soak.md`, whole. */
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
    `Two instances of the production build on one PostgreSQL (fsync on) for ${minutes(plan.totalMs)} minutes, at a fixed rate of reads and payments, 80 to 20; one payment of ten goes to another VASP.`,
    `One of the two is killed every ${minutes(plan.killEveryMs)} minutes and the database restarted every ${minutes(plan.restartEveryMs)}; the books are added up in between,`,
    'and at the end every payment that was answered has to be there once and to have ended. A request that met a killed',
    'server has no answer, and one that met a database on its way up has 503, as one may where the host gives more than a seventh of the',
    'machine to others; any other answer but 200, and each of these in a calm time, is a fault.',
    '',
    ...soakLines(result).map((line) => `- ${line}`),
    ...result.faults.map((fault) => `- fault: ${fault}`),
    '',
  ].join('\n')
}
