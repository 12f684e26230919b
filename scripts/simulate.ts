import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PLANTED } from '../test/simulation/planted-bugs'
import { readOptions } from './options'
import { readSimulateArguments, SIMULATE } from './simulate/arguments'
import { commandsIn, search } from './simulate/search'

interface Report {
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

const { planted, seed, schedules, hours, repeat } = readOptions(SIMULATE, readSimulateArguments)
if (hours !== undefined)
  process.exitCode = search({
    hours,
    firstSeed: randomInt(2 ** 31),
    nowMs: Date.now,
    runSeed(each) {
      const { status, output, tests } = simulate(['-t', 'keeps every invariant'], { TEST_SEED: String(each) }, 'pipe')
      if (status !== 0) console.log(output)
      return { isWell: status === 0, commands: commandsIn(tests.flatMap(({ failureMessages }) => failureMessages)) }
    },
    say: (line) => console.log(line),
  })
else if (repeat !== undefined) {
  const env = { SIMULATE_SCHEDULE: JSON.stringify(repeat) }
  process.exitCode = simulate(['random.sim', '-t', 'in the given schedule'], env).status
} else {
  const { status, tests } = simulate(planted ? ['-t', 'planted bug', 'planted.sim', 'postgres.sim'] : [], {
    ...(planted ? { SIMULATE_TRIES: '5' } : {}),
    ...(seed === undefined ? {} : { TEST_SEED: String(seed) }),
  })
  const found = tests.filter(({ title, status: of }) => of === 'passed' && title.startsWith('finds planted bug')).length
  console.log(`${found} of ${PLANTED.length} planted bugs found`)
  // Without PostgreSQL, the tests skip the bugs planted in SQL. `--planted` requires all of them, so it fails.
  process.exitCode = planted && found < PLANTED.length ? 1 : status
}

function simulate(args: readonly string[], env: NodeJS.Dict<string>, stdout: 'inherit' | 'pipe' = 'inherit') {
  const folder = mkdtempSync(join(tmpdir(), 'vasp-simulate-'))
  const file = join(folder, 'report.json')
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`]
  try {
    const run = spawnSync(
      process.execPath,
      ['node_modules/vitest/vitest.mjs', 'run', '--project', 'simulation', ...args, ...reporters],
      {
        stdio: ['inherit', stdout, 'inherit'],
        encoding: 'utf8',
        maxBuffer: Infinity,
        env: {
          ...process.env,
          ...(schedules === undefined ? {} : { SIMULATE_SCHEDULES: String(schedules) }),
          ...env,
        },
      },
    )
    const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as Report
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
    return { status: run.status ?? 1, output: run.stdout, tests }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
