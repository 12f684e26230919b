import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLANTED } from '../test/simulation/planted-bugs'
import { SIMULATE } from './measure-options'
import { numberOption, parseCommandLine, readOptions } from './options'

const { planted, seed, schedules } = readOptions(SIMULATE, (args) => {
  const { values } = parseCommandLine(SIMULATE, args)
  const whole = (option: 'seed' | 'schedules', least: number): string | undefined =>
    values[option] === undefined ? undefined : String(numberOption(option, values[option], { least, whole: true }))
  return { planted: values.planted === true, seed: whole('seed', 0), schedules: whole('schedules', 1) }
})

const folder = mkdtempSync(join(tmpdir(), 'vasp-simulate-'))
const report = join(folder, 'report.json')
const only = planted ? ['-t', 'planted bug', 'planted.sim', 'postgres.sim'] : []
try {
  const { status } = spawnSync(
    process.execPath,
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--project',
      'simulation',
      ...only,
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
    ],
    {
      stdio: 'inherit',
      env: {
        ...process.env,
        ...(planted ? { SIMULATE_TRIES: '5' } : {}),
        // The same seed for all files, which run in separate processes.
        SIMULATE_SEED: seed ?? String(Math.floor(Date.now() / 1000) % 1_000_000),
        ...(schedules === undefined ? {} : { SIMULATE_SCHEDULES: schedules }),
      },
    },
  )
  const found = foundIn(report)
  console.log(`${found} of ${PLANTED.length} planted bugs found`)
  // Without PostgreSQL, the tests skip the bugs planted in SQL. `--planted` requires all of them, so it fails.
  process.exitCode = planted && found < PLANTED.length ? 1 : (status ?? 1)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly { readonly title: string; readonly status: string }[]
  }[]
}

function foundIn(file: string): number {
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
  return testResults
    .flatMap(({ assertionResults }) => assertionResults)
    .filter(({ title, status }) => status === 'passed' && title.startsWith('finds planted bug')).length
}
