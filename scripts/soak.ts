import { parseArgs } from 'node:util'
import { startPostgresEngine } from '../bench/engines'
import { startLoader } from '../bench/loader'
import { makeMixedWorld } from '../bench/mixed-world'
import { soak } from '../bench/soak'
import { ensureBuild } from '../sandbox/build'

// `npm run soak -- --minutes 60`: a long load on two instances and one PostgreSQL, with kills and restarts of the database.
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    'kill-minutes': { type: 'string', default: '2' },
    'restart-minutes': { type: 'string', default: '15' },
    'check-minutes': { type: 'string', default: '1' },
  },
})
const minutes = (text: string): number => Number(text) * 60_000
const plan = {
  totalMs: minutes(values.minutes),
  killEveryMs: minutes(values['kill-minutes']),
  restartEveryMs: minutes(values['restart-minutes']),
  checkEveryMs: minutes(values['check-minutes']),
}
/** Each is paid once; sent again it is told what it was the first time. */
const PAYMENTS_A_MINUTE = 2_000
const MOST_PAYMENTS = 40_000
const MOST_GROWTH = 1.1

ensureBuild((line) => console.log(line))
const engine = await startPostgresEngine()
if (engine === undefined)
  throw new Error('The soak needs PostgreSQL: install one (Debian: postgresql), or name one in TEST_DATABASE_URL.')
const loader = startLoader()
try {
  const count = Math.min(MOST_PAYMENTS, Math.ceil(Number(values.minutes) * PAYMENTS_A_MINUTE))
  const world = await makeMixedWorld(engine, count)
  const result = await soak(
    loader,
    world,
    plan,
    () => engine.restart(),
    (line) => console.log(line),
  )
  const growth = result.endMb / result.warmMb
  for (const fault of result.faults) console.error(fault)
  const statuses = Object.entries(result.statuses).map(([status, times]) => `${status}: ${times}`)
  console.log(
    [
      `${result.requests} requests (${statuses.join(', ')}), ${result.payments} payments`,
      `${result.kills} kills, ${result.restarts} restarts of the database, ${result.checks} checks of the books`,
      `${result.faults.length} faults`,
      `memory of the instance that lived throughout: ${result.warmMb.toFixed(0)} MB warm, ${result.endMb.toFixed(0)} MB at the end (x ${growth.toFixed(2)}, at most ${MOST_GROWTH})`,
    ].join('\n'),
  )
  process.exitCode = result.faults.length > 0 || growth > MOST_GROWTH ? 1 : 0
} finally {
  loader.stop()
  await engine.stop()
}
