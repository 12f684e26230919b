import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

const Report = z.object({
  testResults: z.array(
    z.object({
      message: z.string(),
      assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
    }),
  ),
})

/** A test that the fault keeps from ending fails by its own timeout, which is at most this. */
const LIMIT_MS = 330_000

/** `broken`: no test failed, but the run did, for example because a file cannot be loaded. */
export type Tested =
  | { readonly outcome: 'green' }
  | { readonly outcome: 'red'; readonly test: string }
  | { readonly outcome: 'broken'; readonly why: string }

/** Runs test files in the folder up to the first failure. */
export async function runTests(folder: string, files: readonly string[], interrupt: AbortSignal): Promise<Tested> {
  const report = join('.cache', 'report.json')
  rmSync(join(folder, report), { force: true })
  const reporters = ['--reporter=json', `--outputFile=${report}`, '--reporter=./test/runners/unfinished.ts']
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--bail=1', ...reporters, ...files], {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, TEST_ENGINES: 'one', NO_COLOR: '1' },
  })
  // At SIGINT the reporter of unfinished tests ends the database servers of the run.
  const stop = (): void => void child.kill('SIGINT')
  const limit = setTimeout(stop, LIMIT_MS)
  interrupt.addEventListener('abort', stop)
  const [code] = (await once(child, 'close')) as [number | null]
  clearTimeout(limit)
  interrupt.removeEventListener('abort', stop)
  const read = readReport(join(folder, report))
  const failed = read.flatMap(({ assertionResults }) => assertionResults).find(({ status }) => status === 'failed')
  if (failed !== undefined) return { outcome: 'red', test: failed.fullName }
  if (code === 0) return { outcome: 'green' }
  const why = read.map(({ message }) => message).find((message) => message !== '') ?? 'vitest did not end'
  return { outcome: 'broken', why: why.split('\n', 1)[0] ?? '' }
}

/** Empty when the run ended before it wrote one. */
function readReport(path: string): z.infer<typeof Report>['testResults'] {
  try {
    return Report.parse(JSON.parse(readFileSync(path, 'utf8'))).testResults
  } catch {
    return []
  }
}
