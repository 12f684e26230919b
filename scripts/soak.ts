import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgresEngine } from '../bench/engines'
import { startLoader } from '../bench/loader'
import { READS_AND_PAYMENT, makeMixedWorld } from '../bench/mixed-world'
import { TRIED, soak } from '../bench/soak'
import { heldOut, soakLines, soakReport } from '../bench/soak-report'
import { describeThisRun } from '../bench/this-run'
import { ensureBuild } from '../sandbox/build'

// `npm run soak -- --minutes 60`: a long load on two instances and one PostgreSQL, with kills and restarts of the database.
// An hour or more is written to docs/soak.md.
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
/** Each is paid once; with the reads, as many as 330 requests a second have. */
const PAYMENTS_A_MINUTE = 4_000
const REPORT = join('docs', 'soak.md')
const WHOLE_MS = minutes('60')

ensureBuild((line) => console.log(line))
const engine = await startPostgresEngine()
if (engine === undefined)
  throw new Error('The soak needs PostgreSQL: install one (Debian: postgresql), or name one in TEST_DATABASE_URL.')
const loader = startLoader()
try {
  console.log('People and invoices …')
  const world = await makeMixedWorld(engine, TRIED / READS_AND_PAYMENT + Number(values.minutes) * PAYMENTS_A_MINUTE)
  const result = await soak(
    loader,
    world,
    plan,
    () => engine.restart(),
    (line) => console.log(line),
  )
  for (const fault of result.faults) console.error(fault)
  console.log(soakLines(result).join('\n'))
  if (plan.totalMs >= WHOLE_MS) {
    writeFileSync(REPORT, soakReport(describeThisRun('soak'), plan, result))
    spawnSync(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--write', '--log-level', 'warn', REPORT])
  }
  process.exitCode = heldOut(result) ? 0 : 1
} finally {
  loader.stop()
  await engine.stop()
}
