import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startPostgresEngine } from '../bench/engines'
import { startLoader } from '../bench/loader'
import { describeThisRun } from '../bench/this-run'
import { ensureBuild } from '../sandbox/demo/build'
import { makeMixedWorld } from '../test/load/mixed-fixture'
import { MAX_PER_SECOND, soak, TRIED } from '../test/load/soak'
import { heldOut, soakLines, soakReport } from '../test/load/soak-report'
import { SOAK } from './measure-options'
import { numberOption, parseCommandLine, readOptions } from './options'

/** Such a run is a measurement, on a quiet machine. */
const WHOLE_MS = 60 * 60_000

const plan = readOptions(SOAK, (args) => {
  const { values } = parseCommandLine(SOAK, args)
  const ms = (option: keyof typeof values, usual: string): number =>
    60_000 * numberOption(option, values[option] ?? usual, { least: 0.05 })
  const totalMs = ms('minutes', '60')
  return {
    totalMs,
    killEveryMs: ms('kill-minutes', '2'),
    restartEveryMs: ms('restart-minutes', '15'),
    checkEveryMs: ms('check-minutes', '1'),
    isQuiet: totalMs >= WHOLE_MS,
  }
})
const REPORT = join('docs', 'soak.md')

await ensureBuild((line) => console.log(line))
const engine = await startPostgresEngine()
if (engine === undefined)
  throw new Error(
    'The soak test needs PostgreSQL: install it (Debian: postgresql). The test starts a server of its own.',
  )
const loader = startLoader()
try {
  console.log('Creating users and invoices …')
  const world = await makeMixedWorld(engine, TRIED + (plan.totalMs / 1000) * MAX_PER_SECOND)
  const say = (line: string): void => console.log(line)
  const result = await soak(loader, world, plan, () => engine.restart(), say)
  await world.stop()
  console.log(soakLines(result).join('\n'))
  if (plan.isQuiet) {
    writeFileSync(REPORT, soakReport(describeThisRun('soak'), plan, result))
    spawnSync(process.execPath, ['node_modules/prettier/bin/prettier.cjs', '--write', '--log-level', 'warn', REPORT])
  }
  process.exitCode = heldOut(result) ? 0 : 1
} finally {
  loader.stop()
  await engine.stop()
}
