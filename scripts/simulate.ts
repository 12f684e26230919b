import { spawnSync } from 'node:child_process'
import { parseArgs } from 'node:util'

// The simulation of payments: `npm run simulate`. With `-- --planted` only the bugs that are planted to prove that it
// finds them; with `-- --seed N` a run again; with `-- --schedules N` more or fewer random schedules.
const { values } = parseArgs({
  options: { planted: { type: 'boolean' }, seed: { type: 'string' }, schedules: { type: 'string' } },
})
const only = values.planted === true ? ['-t', 'planted bug', 'planted.sim', 'postgres.sim'] : []
const { status } = spawnSync(
  process.execPath,
  ['node_modules/vitest/vitest.mjs', 'run', '--project', 'simulation', ...only],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      ...(values.planted === true ? { SIMULATE_TRIES: '5' } : {}),
      // One for all the files, which run in processes of their own.
      SIMULATE_SEED: values.seed ?? String(Math.floor(Date.now() / 1000) % 1_000_000),
      ...(values.schedules === undefined ? {} : { SIMULATE_SCHEDULES: values.schedules }),
    },
  },
)
process.exit(status ?? 1)
