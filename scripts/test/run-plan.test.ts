import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { PlannedStage } from './plan'
import type { StageResult } from './report'
import { runPlan } from './run-plan'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'run-plan-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A program as a stage; `log` is a file of its own. */
function stage(
  name: string,
  program: string,
  more: Partial<PlannedStage> = {},
): PlannedStage & { readonly log: string } {
  const log = join(folder, name)
  const env = { LOG: log }
  const args = ['-e', `const fs = require('node:fs'); ${program}`]
  return {
    name: `run-plan/${name}`,
    seconds: undefined,
    steps: () => [{ args, env, writesReport: false }],
    log,
    ...more,
  }
}

async function run(...stages: PlannedStage[]): Promise<{ results: readonly StageResult[]; written: string }> {
  let written = ''
  const terminal = { isTTY: false, columns: 80, write: (text: string): void => void (written += text) }
  const results = await runPlan(stages, { limitMs: 60_000, signal: new AbortController().signal, terminal })
  return { results, written }
}

const LOG_ONE = `fs.appendFileSync(process.env.LOG, 'x');`

describe('a run of stages', () => {
  it('repeats each file as often as asked, and says so', async () => {
    const [one, two] = [stage('one', LOG_ONE, { repeat: 3 }), stage('two', LOG_ONE, { repeat: 3 })]
    const { results, written } = await run(one, two)
    expect(results.map(({ repeats, failures }) => [repeats, failures])).toEqual([
      ['3 of 3 passed', []],
      ['3 of 3 passed', []],
    ])
    expect(written).toContain('[2/2] run-plan/two · 3 of 3 passed · 3 passed, 0 failed')
    expect([one, two].map(({ log }) => readFileSync(log, 'utf8'))).toEqual(['xxx', 'xxx'])
  })

  it('stops at the first failure of a repeated file', async () => {
    const third = `${LOG_ONE} if (fs.readFileSync(process.env.LOG, 'utf8').length === 3) process.exit(1)`
    const failing = stage('failing', third, { repeat: 5 })
    const { results, written } = await run(failing, stage('never', LOG_ONE, { repeat: 5 }))
    expect(results.map(({ name, repeats }) => [name, repeats])).toEqual([['run-plan/failing', '2 of 5 passed']])
    expect(written).toContain('[1/2] run-plan/failing · 2 of 5 passed · 2 passed, 1 failed')
    expect(readFileSync(failing.log, 'utf8')).toBe('xxx')
  })

  it('keeps the npm registry out of reach of a stage that does not say that it needs it', async () => {
    vi.stubEnv('npm_config_registry', undefined)
    const program = `fs.writeFileSync(process.env.LOG, process.env.npm_config_registry ?? 'as usual')`
    const [without, needing] = [
      stage('without', program),
      stage('needing', program, { needsRegistry: 'the npm registry' }),
    ]
    await run(without, needing)
    expect(readFileSync(without.log, 'utf8')).toBe('http://127.0.0.1:9')
    expect(readFileSync(needing.log, 'utf8')).toBe('as usual')
    vi.unstubAllEnvs()
  })
})
