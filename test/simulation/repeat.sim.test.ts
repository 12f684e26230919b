import { execFile } from 'node:child_process'
import { expect, it } from 'vitest'
import { vitest } from '@/scripts/test/runners'
import { STAGES } from '@/scripts/test/stages'

/** Of planted-bugs.ts: found within few schedules. */
const PLANTED = { SIMULATE_BUG: '2' }

function outputOf(command: string, args: readonly string[], given: NodeJS.Dict<string>, shell = false) {
  const options = { env: { ...process.env, NO_COLOR: '1', ...given }, maxBuffer: Infinity, shell }
  return new Promise<{ code: unknown; text: string }>((resolve) => {
    execFile(command, args, options, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : error.code, text: stdout + stderr }),
    )
  })
}

/** From the broken invariant to the last line of the ledger, without the command. */
const reportIn = (text: string): string | undefined =>
  /^Error: (N\d+.*$)[^]*?^(What happened:$[^]*?)^\s*❯/m.exec(text)?.slice(1).join('\n')

it('runs the same steps whenever it has the same seed, and others with another', async () => {
  const { args } = vitest('simulation', ['test/simulation/random.sim.test.ts'])
  const stepsWith = async (seed: number): Promise<string | undefined> => {
    const env = { TEST_SEED: String(seed), SIMULATE_SCHEDULES: '20', SIMULATE_MIN_PER_CELL: '0' }
    return /S2: SEED=\d+, (.* steps)/.exec((await outputOf(process.execPath, args, env)).text)?.[1]
  }
  const first = await stepsWith(1)
  expect(first).toMatch(/^20 schedules, /)
  expect(await stepsWith(1)).toBe(first)
  expect(await stepsWith(2)).not.toBe(first)
})

it('prints a command that repeats exactly the schedule of a find, which fails only because of the bug', async () => {
  const [command] = STAGES.find(({ name }) => name === 'simulation-commit')?.run ?? []
  if (command === undefined) throw new Error('no command')
  const find = await outputOf(process.execPath, command.args, { ...command.env, ...PLANTED, TEST_SEED: '1' })
  expect(find.code).toBe(1)
  const [repetition = ''] = /^npm run simulate -- --repeat '.*'$/m.exec(find.text) ?? []
  expect(reportIn(find.text)).toContain('What happened:')

  const again = await outputOf(repetition, [], PLANTED, true)
  expect(again.code).toBe(1)
  expect(reportIn(again.text)).toBe(reportIn(find.text))

  expect((await outputOf(repetition, [], {}, true)).code).toBe(0)
})
